import { useQueryClient } from '@tanstack/react-query';
import { answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { dismissAbout, toast } from '../ui/toasts.tsx';
import { nameOf, type Trashed } from './restore.ts';

interface EraseDialogProps {
  record: Trashed;
  onErased(): void;
  onClose(): void;
}

/** Asks before a record in the trash is deleted for good. */
export function EraseDialog({ record, onErased, onClose }: EraseDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const erase = useWrite({
    send: (id: string) => answer(api.DELETE('/trash/{id}', { params: { path: { id } } })),
    onDone() {
      void client.invalidateQueries({ queryKey: keys.trash.all });
      dismissAbout([record.id]);
      toast(`${nameOf(record)} deleted for good`);
      onErased();
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Delete ${nameOf(record)} for good?`}
      action="Delete for good"
      isDanger
      onClose={onClose}
      busy={erase.isPending}
      error={erase.error}
      onSubmit={() => erase.write(record.id)}
    >
      <p>It can’t be restored after that. Its clicks stay in the analytics of the workspace.</p>
    </FormDialog>
  );
}
