import { DeleteDialog } from '../short-links/delete-dialog.tsx';
import { LINK_LIST, type Link } from './queries.ts';
import { nameOf } from './row.tsx';

/** From so many links on, a deletion is confirmed. */
const MANY = 10;

const clicksOf = (links: readonly Link[]): number =>
  links.reduce((sum, { clicks, importedClicks }) => sum + clicks + importedClicks, 0);

/** True for links that people use, and for so many that nobody looks at each. */
export const needsQuestion = (links: readonly Link[]): boolean =>
  links.length >= MANY || clicksOf(links) > 0;

interface DeleteLinksDialogProps {
  links: readonly Link[];
  onDelete(): void;
  onClose(): void;
}

/** Asks before links are deleted that somebody may miss. */
export function DeleteLinksDialog({ links, ...callbacks }: DeleteLinksDialogProps) {
  return (
    <DeleteDialog
      noun={LINK_LIST.noun}
      names={links.map(nameOf)}
      visits={clicksOf(links)}
      visit="click"
      consequence={
        links.length === 1
          ? 'The short link stops working, also where it is printed.'
          : 'The short links stop working, also where they are printed.'
      }
      {...callbacks}
    />
  );
}
