import { useQueryClient } from '@tanstack/react-query';
import { idempotent } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import type { RecordKind } from './list-kind.ts';
import type { Listed } from './listed.ts';

interface ResetDialogProps<Row> {
  kind: RecordKind<Row>;
  record: Row;
  onClose(): void;
}

/** Asks for confirmation before the counts of a link or QR code are set back to zero. */
export function ResetDialog<Row extends Listed>({ kind, record, onClose }: ResetDialogProps<Row>) {
  const { list, noun } = kind;
  const { api } = useWorkspace();
  const client = useQueryClient();
  const reset = useWrite({
    send: async (recordId: string, key) => {
      await (list === 'links'
        ? api.POST('/links/{linkId}/reset', idempotent(key, { linkId: recordId }))
        : api.POST('/qrcodes/{qrcodeId}/reset', idempotent(key, { qrcodeId: recordId })));
    },
    onDone: () => {
      for (const family of [keys[list], keys.analytics, keys.events]) {
        void client.invalidateQueries({ queryKey: family.all });
      }
      toast(`Counts of ${kind.nameOf(record)} reset`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Reset the counts of “${kind.nameOf(record)}”?`}
      action="Reset counts"
      isDanger
      onClose={onClose}
      busy={reset.isPending}
      error={reset.error}
      onSubmit={() => reset.write(record.id)}
    >
      <p>
        All events of the {noun.one} are deleted, also from analytics, and its counts start at 0
        again. This can’t be undone.
      </p>
    </FormDialog>
  );
}
