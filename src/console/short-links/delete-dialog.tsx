import { FormDialog } from '../ui/form-dialog.tsx';
import type { ListKind } from './list-kind.ts';
import { countText } from './listing.ts';

interface DeleteDialogProps {
  noun: ListKind['noun'];
  /** Names of the records that are to be deleted. */
  names: readonly string[];
  /** Number of their visits. */
  visits: number;
  /** Name of one visit: "click". */
  visit: string;
  /** Says what stops working. */
  consequence: string;
  onDelete(): void;
  onClose(): void;
}

/** Asks before links or QR codes are deleted that somebody may use. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { noun, names, visits, visit, consequence, onDelete, onClose } = props;
  const isOne = names.length === 1;
  const many = countText(names.length, noun);
  return (
    <FormDialog
      title={`Delete ${isOne ? `the ${noun.one} “${names[0]}”` : many}?`}
      action={`Delete ${isOne ? noun.one : many}`}
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
        {visits > 0 &&
          `${isOne ? 'It has' : 'They have'} ${visits.toLocaleString()} ${visit}${visits === 1 ? '' : 's'}. `}
        {consequence} To hide {isOne ? 'it' : 'them'} from lists only, archive{' '}
        {isOne ? 'it' : 'them'}.
      </p>
    </FormDialog>
  );
}
