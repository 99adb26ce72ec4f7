import { useQueryClient } from '@tanstack/react-query';
import { answer, idempotent } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { refreshRestored } from '../short-links/restore.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { useFields } from '../ui/use-fields.ts';
import type { Trashed } from './restore.ts';

interface RestoreDialogProps {
  record: Trashed;
  onRestored(): void;
  onClose(): void;
}

/** Restores a link under another slug, because another link has taken its own. */
export function RestoreDialog({ record, onRestored, onClose }: RestoreDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const restore = useWrite({
    send: (slug: string, key) =>
      answer(
        api.POST('/links/{linkId}/restore', {
          ...idempotent(key, { linkId: record.id }),
          body: { key: slug },
        }),
      ),
    onDone({ domain, key }) {
      refreshRestored(client, [record.id]);
      toast(`${domain}/${key} restored`);
      onRestored();
      onClose();
    },
  });
  const { values, text } = useFields({ key: `${record.key}-2` }, restore.error);
  return (
    <FormDialog
      title={`Restore ${record.key} under another slug`}
      action="Restore"
      onClose={onClose}
      busy={restore.isPending}
      error={restore.error}
      onSubmit={() => restore.write(values.key.trim())}
    >
      <p>
        The link keeps its clicks, tags and history. Where /{record.key} is printed or shared,
        visitors get what has that slug now.
      </p>
      <TextField label="Slug" required data-autofocus autoComplete="off" {...text('key')} />
    </FormDialog>
  );
}
