import { useQueryClient } from '@tanstack/react-query';
import { Pencil, Star, StarOff, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { toastError } from '../ui/toast-error.ts';
import { toast } from '../ui/toasts.tsx';

type Template = Schemas['Template'];

interface TemplateProps {
  template: Template;
  /** Shown name, which a template without a name has too. */
  name: string;
}

/** The menu of a template, with its dialogs. */
export function TemplateMenu({ template, name }: TemplateProps) {
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const close = () => setOpen(undefined);
  const setDefault = useDefault(template, name);
  return (
    <>
      <RowMenu
        label={`Actions for ${name}`}
        items={[
          { label: 'Rename', icon: Pencil, onSelect: () => setOpen('rename') },
          template.isDefault
            ? { label: 'No longer use for new codes', icon: StarOff, onSelect: setDefault }
            : { label: 'Use for new codes', icon: Star, onSelect: setDefault },
          { label: 'Delete', icon: Trash2, isDanger: true, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'rename' && <RenameDialog template={template} name={name} onClose={close} />}
      {open === 'delete' && <DeleteDialog template={template} name={name} onClose={close} />}
    </>
  );
}

/** Returns a function that makes a template the default, or no longer. */
function useDefault({ id, isDefault }: Template, name: string): () => void {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { write } = useWrite({
    send: (_: undefined) =>
      answer(
        api.PATCH('/templates/{id}', { params: { path: { id } }, body: { isDefault: !isDefault } }),
      ),
    onDone() {
      void client.invalidateQueries({ queryKey: keys.templates.all });
      toast(isDefault ? 'New codes begin plain' : `New codes begin with “${name}”`);
    },
    onFailed: toastError,
  });
  return () => write(undefined);
}

interface DialogProps extends TemplateProps {
  onClose(): void;
}

function RenameDialog({ template, onClose }: DialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [name, setName] = useState(template.name ?? '');
  const rename = useWrite({
    send: (_: undefined) =>
      answer(
        api.PATCH('/templates/{id}', {
          params: { path: { id: template.id } },
          body: { name: name.trim() === '' ? null : name },
        }),
      ),
    onDone() {
      void client.invalidateQueries({ queryKey: keys.templates.all });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Rename template"
      action="Rename"
      onSubmit={() => rename.write(undefined)}
      onClose={onClose}
      busy={rename.isPending}
      error={rename.error}
    >
      <TextField
        label="Template name"
        data-autofocus
        maxLength={64}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  );
}

function DeleteDialog({ template, name, onClose }: DialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const remove = useWrite({
    send: (_: undefined) =>
      answer(api.DELETE('/templates/{id}', { params: { path: { id: template.id } } })),
    onDone() {
      void client.invalidateQueries({ queryKey: keys.templates.all });
      toast(`Template “${name}” deleted`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Delete “${name}”?`}
      action="Delete template"
      isDanger
      onSubmit={() => remove.write(undefined)}
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>Codes that use it keep their style.</p>
    </FormDialog>
  );
}
