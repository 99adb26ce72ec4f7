import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Tags, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { UTM, type UtmValues } from '../short-links/utm.ts';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { toast } from '../ui/toasts.tsx';
import { utmTemplatesQuery } from './queries.ts';

type Template = Schemas['UtmTemplate'];
type Opened = { what: 'new' } | { what: 'edit' | 'delete'; template: Template };

/** The page for UTM templates, whose values people choose in the form of a link. */
export function UtmTemplatesPage() {
  const { api, may } = useWorkspace();
  const [opened, setOpened] = useState<Opened>();
  const templates = useQuery(utmTemplatesQuery(api));
  const close = () => setOpened(undefined);
  const mayWrite = may('links.write');
  const createButton = mayWrite && (
    <Button look="primary" icon={Plus} onClick={() => setOpened({ what: 'new' })}>
      Create template
    </Button>
  );
  const columns: Column<Template>[] = [
    { name: 'Name', render: ({ name }) => <span className="font-medium">{name}</span> },
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
              {
                label: 'Edit',
                icon: Pencil,
                onSelect: () => setOpened({ what: 'edit', template }),
              },
              {
                label: 'Delete',
                icon: Trash2,
                isDanger: true,
                onSelect: () => setOpened({ what: 'delete', template }),
              },
            ]}
          />
        ),
    },
  ];
  return (
    <Page title="UTM templates" actions={templates.data?.length !== 0 && createButton}>
      {templates.error && (
        <Failure error={templates.error} retry={() => void templates.refetch()} />
      )}
      {templates.isPending && <Skeleton className="mx-6 h-40" />}
      {templates.data?.length === 0 && (
        <Empty icon={Tags} title="No UTM templates yet" action={createButton}>
          Save the UTM parameters of a campaign so that everybody spells them the same way. Choose a
          template under “UTM parameters” when you create or edit a link.{' '}
          <DocsLink guide="workspaces">How templates work</DocsLink>
        </Empty>
      )}
      {templates.data !== undefined && templates.data.length > 0 && (
        <Table
          label="UTM templates"
          columns={columns}
          rows={templates.data}
          keyOf={({ id }) => id}
        />
      )}
      {opened?.what === 'new' && <TemplateDialog onClose={close} />}
      {opened?.what === 'edit' && <TemplateDialog template={opened.template} onClose={close} />}
      {opened?.what === 'delete' && <DeleteDialog template={opened.template} onClose={close} />}
    </Page>
  );
}

interface TemplateDialogProps {
  /** Template to edit; absent for a new one. */
  template?: Template;
  onClose(): void;
}

function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const [name, setName] = useState(template?.name ?? '');
  const [values, setValues] = useState<UtmValues>(() =>
    Object.fromEntries(UTM.map(([one]) => [one, template?.[one] ?? ''])),
  );
  const { create, update } = useResource('utmTemplates', {
    onCreated: onClose,
    onUpdated: onClose,
  });
  const save = template === undefined ? create : update;
  const messages = messagesOf(save.error);
  return (
    <FormDialog
      title={template === undefined ? 'Create UTM template' : template.name}
      action={template === undefined ? 'Create template' : 'Save'}
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => {
        const utm = Object.fromEntries(UTM.map(([one]) => [one, values[one] || null]));
        const body = { name, ...utm };
        if (template === undefined) create.write(body);
        else update.write({ seen: template, body });
      }}
    >
      <TextField
        label="Name"
        autoFocus
        required
        maxLength={190}
        value={name}
        error={messages['name']}
        onChange={(event) => setName(event.target.value)}
      />
      {UTM.map(([one, label, example]) => (
        <TextField
          key={one}
          label={label}
          placeholder={example}
          maxLength={500}
          value={values[one] ?? ''}
          error={messages[one]}
          onChange={({ target }) => setValues((now) => ({ ...now, [one]: target.value }))}
        />
      ))}
    </FormDialog>
  );
}

function DeleteDialog({ template, onClose }: { template: Template; onClose(): void }) {
  const { remove } = useResource('utmTemplates', {
    onRemoved: () => {
      toast(`Template “${template.name}” deleted`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Delete the template “${template.name}”?`}
      action="Delete template"
      isDanger
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.write(template)}
    >
      <p>Links created with it stay as they are. You can’t undo this.</p>
    </FormDialog>
  );
}
