import { FormDialog } from '../ui/form-dialog.tsx';
import type { RecordKind } from './list-kind.ts';

interface DeleteDialogProps<Row> {
  kind: RecordKind<Row>;
  records: readonly Row[];
  onDelete(): void;
  onClose(): void;
}

/** Asks for confirmation before links or QR codes that may be in use are deleted. */
export function DeleteDialog<Row>({ kind, records, onDelete, onClose }: DeleteDialogProps<Row>) {
  const { noun } = kind;
  const [only] = records;
  const isOne = records.length === 1;
  const name = only === undefined ? '' : kind.nameOf(only);
  const many = kind.inWords(records.length);
  const visits = records.reduce((sum, record) => sum + kind.visitsOf(record), 0);
  const counted = kind.visitsInWords(visits);
  return (
    <FormDialog
      title={isOne ? `Delete the ${noun.one} “${name}”?` : `Delete ${many}?`}
      action={isOne ? `Delete ${noun.one}` : `Delete ${many}`}
      isDanger
      onClose={onClose}
      onSubmit={() => {
        onDelete();
        onClose();
      }}
    >
      <p>
        {visits > 0 && (isOne ? `It has ${counted}. ` : `They have ${counted}. `)}
        {kind.consequenceOf(records)}{' '}
        {isOne
          ? 'You can restore it from the trash for 30 days. To hide it from lists only, archive it.'
          : 'You can restore them from the trash for 30 days. To hide them from lists only, archive them.'}
      </p>
    </FormDialog>
  );
}
