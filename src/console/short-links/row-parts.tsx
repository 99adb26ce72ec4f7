import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { classes } from '../ui/classes.ts';
import { RowMenu } from '../ui/menu.tsx';
import type { ListKind } from './list-kind.ts';
import { type Counted, type RecordItems, useRecordItems } from './record-items.ts';
import { RecordLink } from './record-link.tsx';

interface VisitCountProps extends Pick<ListKind, 'list'> {
  id: string;
  /** False for a record whose visits are not counted. */
  isCounted?: boolean;
  icon: LucideIcon;
  /** Noun of the visits for screen readers: "Clicks". */
  label: string;
  /** Class name of the width on wide screens. */
  className: string;
  children: ReactNode;
}

/** The cell with the number of visits, linked to their chart on the page of the record. */
export function VisitCount(props: VisitCountProps) {
  const { list, id, isCounted = true, icon: Icon, label, children } = props;
  const { may } = useWorkspace();
  const look = classes(
    'flex items-center justify-end gap-1 rounded-md tabular-nums max-md:h-11 max-md:min-w-11 max-md:px-1 md:h-8',
    props.className,
  );
  const content = (
    <>
      <Icon size={14} aria-hidden className="text-muted max-md:hidden" />
      <span className="sr-only">{label}:</span>
      {children}
    </>
  );
  return (
    <div role="gridcell" className="shrink-0">
      {isCounted && may('analytics.read') ? (
        <RecordLink list={list} id={id} isToChart className={look}>
          {content}
        </RecordLink>
      ) : (
        <span className={look}>{content}</span>
      )}
    </div>
  );
}

interface RecordMenuProps<Row extends Counted> extends RecordItems<Row> {
  name: string;
}

/** The menu of a row. */
export function RecordMenu<Row extends Counted>({ name, ...items }: RecordMenuProps<Row>) {
  return (
    <div role="gridcell">
      <RowMenu label={`Actions for ${name}`} tabIndex={-1} items={useRecordItems(items)} />
    </div>
  );
}
