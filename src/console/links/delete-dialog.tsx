import { FormDialog } from '../ui/form-dialog.tsx';
import type { Link } from './question.ts';
import { nameOf } from './row.tsx';

/** From so many links on, a deletion is confirmed. */
const MANY = 10;

const clicksOf = (links: readonly Link[]): number =>
  links.reduce((sum, { clicks, importedClicks }) => sum + clicks + importedClicks, 0);

/** True for links that people use, and for so many that nobody looks at each. */
export const needsQuestion = (links: readonly Link[]): boolean =>
  links.length >= MANY || clicksOf(links) > 0;

interface DeleteDialogProps {
  links: readonly Link[];
  onDelete(): void;
  onClose(): void;
}

/** Asks before links are deleted that somebody may miss. */
export function DeleteDialog({ links, onDelete, onClose }: DeleteDialogProps) {
  const [first] = links;
  const isOne = links.length === 1;
  const subject =
    isOne && first !== undefined ? nameOf(first) : `${links.length.toLocaleString()} links`;
  const clicks = clicksOf(links);
  return (
    <FormDialog
      title={`Delete ${subject}?`}
      action={isOne ? 'Delete link' : `Delete ${subject}`}
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
        {clicks > 0 &&
          `${isOne ? 'It has' : 'They have'} ${clicks.toLocaleString()} ${clicks === 1 ? 'click' : 'clicks'}. `}
        {isOne ? 'The short link stops' : 'The short links stop'} working, also where{' '}
        {isOne ? 'it is' : 'they are'} printed. To only hide {isOne ? 'it' : 'them'} from lists, use
        Archive.
      </p>
    </FormDialog>
  );
}
