import { useQueryClient } from '@tanstack/react-query';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import type { QrCode } from './look.ts';
import { deleteCodes } from './pending.ts';
import { nameOf } from './row.tsx';

interface DeleteProps {
  records: readonly QrCode[];
  onClose(): void;
  onDone(): void;
}

/** Asks before codes are deleted: those that are printed will lead nowhere. */
export function DeleteDialog({ records, onClose, onDone }: DeleteProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [first] = records;
  const subject =
    records.length === 1 && first !== undefined ? nameOf(first) : `${records.length} QR codes`;
  return (
    <Dialog
      title={`Delete ${subject}?`}
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            autoFocus
            onClick={() => {
              deleteCodes(
                { api, client },
                records.map(({ id }) => id),
              );
              onDone();
              onClose();
            }}
          >
            Delete
          </Button>
        </>
      }
    >
      <p>
        Dynamic codes that are printed already will lead nowhere. Archive them to keep them working.
      </p>
    </Dialog>
  );
}
