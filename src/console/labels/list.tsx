import { Link } from '@tanstack/react-router';
import { type LucideIcon, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import type { Paged } from '../api/paged.ts';
import { RemoveDialog } from '../app/remove-dialog.tsx';
import { useRecords, useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem, editItem } from '../ui/menu-items.ts';
import { RecordList } from '../ui/record-list.tsx';
import { Empty } from '../ui/states.tsx';
import { useFields } from '../ui/use-fields.ts';
import { useCounts } from './counts.ts';

type Label = Schemas['Tag'] | Schemas['Folder'];

/** A kind of label: tags or folders. */
export interface Kind<One extends Label> {
  noun: 'tag' | 'folder';
  texts: {
    title: string;
    none: string;
    /** Explanation of the purpose, shown while there are no labels. */
    purpose: string;
    /** Link to the guide. */
    guide: string;
    create: string;
    /** Name of the edit action. */
    change: string;
    /** Title of the form that edits a label. */
    edit: string;
    actionsFor(name: string): string;
    delete: string;
    confirmDeletion(name: string): string;
    /** Explanation of the records that remain after a deletion. */
    deletion: string;
  };
  icon: LucideIcon;
  mark(label: One): ReactNode;
  /** Returns the search parameters that list the links with the label. */
  linksOf(label: One): Record<string, string>;
  /** Renders the form that creates or edits a label. */
  form(props: FormProps<One>): ReactNode;
}

/** Properties of a form of a label. */
export interface FormProps<One extends Label> {
  /** Label to edit; `undefined` for a new one. */
  label: One | undefined;
  onClose(): void;
}

type Opened<One> = { what: 'new' } | { what: 'edit' | 'delete'; label: One };

/** The list of all labels of a kind; the name of a label links to its links. */
export function LabelList<One extends Label>({ kind }: { kind: Kind<One> }) {
  const { noun, texts, icon } = kind;
  const { may } = useWorkspace();
  const [opened, setOpened] = useState<Opened<One>>();
  const close = () => setOpened(undefined);
  const labels = useRecords(`${noun}s`) as Paged<One>;
  const counts = useCounts(noun);
  return (
    <section aria-labelledby={`${noun}s`}>
      <header className="flex min-h-10 items-center justify-between gap-2 border-b border-line px-4 pb-2 md:px-6">
        <h2 id={`${noun}s`} className="font-semibold">
          {texts.title}
        </h2>
        {may(`${noun}s.write`) && (
          <Button size="small" icon={Plus} onClick={() => setOpened({ what: 'new' })}>
            {texts.create}
          </Button>
        )}
      </header>
      <RecordList
        query={labels}
        empty={
          <Empty icon={icon} title={texts.none}>
            {texts.purpose} <DocsLink guide="api">{texts.guide}</DocsLink>
          </Empty>
        }
      >
        {(rows) => (
          <ul>
            {rows.map((label) => (
              <LabelRow
                key={label.id}
                kind={kind}
                label={label}
                count={counts(label.id)}
                open={(what) => setOpened({ what, label })}
              />
            ))}
          </ul>
        )}
      </RecordList>
      {opened?.what === 'new' && <kind.form label={undefined} onClose={close} />}
      {opened?.what === 'edit' && <kind.form label={opened.label} onClose={close} />}
      {opened?.what === 'delete' && (
        <RemoveDialog
          noun={`${noun}s`}
          record={opened.label}
          title={texts.confirmDeletion(opened.label.name)}
          action={texts.delete}
          onClose={close}
        >
          {texts.deletion}
        </RemoveDialog>
      )}
    </section>
  );
}

interface LabelRowProps<One extends Label> {
  kind: Kind<One>;
  label: One;
  /** Formatted numbers of the links and QR codes with the label. */
  count: string | undefined;
  open(what: 'edit' | 'delete'): void;
}

function LabelRow<One extends Label>(props: LabelRowProps<One>) {
  const { kind, label, count, open } = props;
  const { slug, may } = useWorkspace();
  return (
    <li className="flex min-h-11 items-center gap-2.5 border-b border-line px-4 hover:bg-hover/60 md:px-6">
      {kind.mark(label)}
      <Link
        to="/$workspace/links"
        params={{ workspace: slug }}
        search={kind.linksOf(label)}
        className="min-w-0 flex-1 truncate py-2 hover:underline max-md:py-3"
      >
        {label.name}
      </Link>
      <span className="shrink-0 text-muted tabular-nums">{count}</span>
      {may(`${kind.noun}s.write`) && (
        <RowMenu
          label={kind.texts.actionsFor(label.name)}
          items={[
            { ...editItem(() => open('edit')), label: kind.texts.change },
            deleteItem(() => open('delete')),
          ]}
        />
      )}
    </li>
  );
}

interface LabelFormProps extends FormProps<Label> {
  kind: Pick<Kind<never>, 'noun' | 'texts'>;
  /** Values of the additional fields. */
  values?: { color: Schemas['Tag']['color'] };
  /** Additional fields after the name. */
  children?: ReactNode;
}

/** A form that creates or edits a label. */
export function LabelForm({ kind, label, values, onClose, children }: LabelFormProps) {
  const { noun, texts } = kind;
  const { create, update } = useResource(`${noun}s`, { onCreated: onClose, onUpdated: onClose });
  const save = label === undefined ? create : update;
  const { values: names, text } = useFields({ name: label?.name ?? '' }, save.error);
  const submit = () => {
    const body = { ...names, ...values };
    if (label === undefined) create.write(body);
    else update.write({ seen: label, body });
  };
  return (
    <FormDialog
      title={label === undefined ? texts.create : texts.edit}
      action={label === undefined ? texts.create : texts.change}
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
    >
      <TextField label="Name" data-autofocus required maxLength={190} {...text('name')} />
      {children}
    </FormDialog>
  );
}
