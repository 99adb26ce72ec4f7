import { DeleteDialog } from '../short-links/delete-dialog.tsx';
import type { QrCode } from './look.ts';
import { QR_CODE_LIST } from './queries.ts';
import { nameOf } from './row.tsx';

interface DeleteCodesDialogProps {
  records: readonly QrCode[];
  onDelete(): void;
  onClose(): void;
}

/** Asks before codes are deleted, which may be printed. */
export function DeleteCodesDialog({ records, ...callbacks }: DeleteCodesDialogProps) {
  return (
    <DeleteDialog
      noun={QR_CODE_LIST.noun}
      names={records.map(nameOf)}
      visits={records.reduce((sum, { scans }) => sum + scans, 0)}
      visit="scan"
      consequence="Printed copies of dynamic codes stop working."
      {...callbacks}
    />
  );
}
