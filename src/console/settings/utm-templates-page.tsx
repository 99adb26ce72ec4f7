import { useQuery } from '@tanstack/react-query';
import { Plus, Tags } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { RemoveDialog } from '../app/remove-dialog.tsx';
import { useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { UTM, type UtmName } from '../short-links/utm.ts';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem, editItem } from '../ui/menu-items.ts';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { toast } from '../ui/toasts.tsx';
import { useFields } from '../ui/use-fields.ts';
import { utmTemplatesQuery } from './queries.ts';

type Template = Schemas['UtmTemplate'];
type Opened = { what: 'new' } | { what: 'edit' | 'delete'; template: Template };

/** The page for UTM templates, whose values people choose in the form of a link. */
export function UtmTemplatesPage() {
  const { api, limits, may } = useWorkspace();
  const [opened, setOpened] = useState<Opened>();
  const templates = useQuery(utmTemplatesQuery(api));
  const close = () => setOpened(undefined);
  const mayWrite = may('links.write') && limits === null;
  const createButton = mayWrite && (
    <Button look="primary" icon={Plus} onClick={() => setOpened({ what: 'new' })}>
      Create template
    </Button>
  );
  const columns: Column<Template>[] = [
    {
      name: 'Name',
      render: (template) => (
        <div className="flex flex-col">
          <span className="font-medium">{template.name}</span>
          {/* Phones have no columns for the parameters. */}
          <span className="text-xs break-all text-muted md:hidden">
            {UTM.flatMap(([name]) => template[name] ?? []).join(' · ')}
          </span>
        </div>
      ),
    },
    ...UTM.map(([name, label]) => ({
      name: label,
      isMinor: true,
      render: (template: Template) => template[name] ?? '',
    })),
    {
      name: 'Actions',
      isBare: true,
      render: (template) =>
        mayWrite && (
          <RowMenu
            label={`Actions for ${template.name}`}
            items={[
              editItem(() => setOpened({ what: 'edit', template })),
              deleteItem(() => setOpened({ what: 'delete', template })),
            ]}
          />
        ),
    },
  ];
  return (
    <Page title="UTM templates" actions={templates.data?.length !== 0 && createButton}>
      <Loaded
        query={templates}
        skeleton="mx-6 h-40"
        empty={
          <Empty icon={Tags} title="No UTM templates yet" action={createButton}>
            Save the UTM parameters of a campaign so that everybody spells them the same way. Choose
            a template under “UTM parameters” when you create or edit a link.{' '}
            <DocsLink guide="workspaces">How templates work</DocsLink>
          </Empty>
        }
      >
        {(rows) => (
          <Table label="UTM templates" columns={columns} rows={rows} keyOf={({ id }) => id} />
        )}
      </Loaded>
      {opened?.what === 'new' && <TemplateDialog onClose={close} />}
      {opened?.what === 'edit' && <TemplateDialog template={opened.template} onClose={close} />}
      {opened?.what === 'delete' && (
        <RemoveDialog
          noun="utmTemplates"
          record={opened.template}
          title={`Delete the template “${opened.template.name}”?`}
          action="Delete template"
          onClose={close}
          onRemoved={() => {
            toast(`Template “${opened.template.name}” deleted`);
            close();
          }}
        >
          Links created with it stay as they are. You can’t undo this.
        </RemoveDialog>
      )}
    </Page>
  );
}

/** Shown at the first parameter: a template without any would change no link. */
const NO_VALUE = 'Enter at least one UTM parameter.';

interface TemplateDialogProps {
  /** Template to edit; absent for a new one. */
  template?: Template;
  onClose(): void;
}

function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const { create, update } = useResource('utmTemplates', {
    onCreated: onClose,
    onUpdated: onClose,
  });
  const save = template === undefined ? create : update;
  const utm = UTM.map(([one]) => [one, template?.[one] ?? '']);
  const { values, text } = useFields(
    { name: template?.name ?? '', ...(Object.fromEntries(utm) as Record<UtmName, string>) },
    save.error,
  );
  const [wasEmpty, setWasEmpty] = useState(false);
  const isEmpty = UTM.every(([one]) => values[one].trim() === '');
  const firstValue = useRef<HTMLDivElement>(null);
  const submit = () => {
    setWasEmpty(isEmpty);
    if (isEmpty) {
      firstValue.current?.querySelector('input')?.focus();
      return;
    }
    const changes = Object.fromEntries(UTM.map(([one]) => [one, values[one] || null]));
    const body = { name: values.name, ...changes };
    if (template === undefined) create.write(body);
    else update.write({ seen: template, body });
  };
  return (
    <FormDialog
      title={template === undefined ? 'Create UTM template' : template.name}
      action={template === undefined ? 'Create template' : 'Save'}
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
    >
      <TextField label="Name" data-autofocus required maxLength={190} {...text('name')} />
      <div ref={firstValue} className="flex flex-col gap-4">
        {UTM.map(([one, label, example], at) => (
          <TextField
            key={one}
            label={label}
            placeholder={example}
            maxLength={500}
            {...text(one)}
            {...(at === 0 && wasEmpty && isEmpty && { error: NO_VALUE })}
          />
        ))}
      </div>
    </FormDialog>
  );
}
