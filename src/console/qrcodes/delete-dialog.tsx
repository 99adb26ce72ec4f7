import { FormDialog } from '../ui/form-dialog.tsx';
import type { QrCode } from './look.ts';
import { nameOf } from './row.tsx';

interface DeleteDialogProps {
  records: readonly QrCode[];
  onDelete(): void;
  onClose(): void;
}

/** Asks before codes are deleted, which may be printed. */
export function DeleteDialog({ records, onDelete, onClose }: DeleteDialogProps) {
  const [first] = records;
  const isOne = records.length === 1;
  const subject =
    isOne && first !== undefined ? nameOf(first) : `${records.length.toLocaleString()} QR codes`;
  const scans = records.reduce((sum, record) => sum + record.scans, 0);
  return (
    <FormDialog
      title={`Delete ${subject}?`}
      action={isOne ? 'Delete QR code' : `Delete ${subject}`}
      isDanger
      busy={false}
      error={null}
      onClose={onClose}
      onSubmit={() => {
        onDelete();
        onClose();
      }}
    >
      <p>
        {scans > 0 &&
          `${isOne ? 'It has' : 'They have'} ${scans.toLocaleString()} ${scans === 1 ? 'scan' : 'scans'}. `}
        Printed dynamic codes stop working. To only hide {isOne ? 'it' : 'them'} from lists, use
        Archive.
      </p>
    </FormDialog>
  );
}
