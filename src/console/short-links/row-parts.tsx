import { Link, useNavigate } from '@tanstack/react-router';
import {
  Archive,
  ArchiveRestore,
  ChartNoAxesColumn,
  FlaskConical,
  type LucideIcon,
  RotateCcw,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { classes } from '../ui/classes.ts';
import { type MenuItem, RowMenu } from '../ui/menu.tsx';
import { deleteItem } from '../ui/menu-items.ts';
import { archiving, type Listed } from './bulk-bar.tsx';
import type { ListKind } from './list-kind.ts';
import { analyticsOf } from './listing.ts';
import type { RecordActions } from './record-page.tsx';

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

/** The cell with the number of visits, linked to the analytics. */
export function VisitCount(props: VisitCountProps) {
  const { list, id, isCounted = true, icon: Icon, label, children } = props;
  const { slug, may } = useWorkspace();
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
        <Link
          to="/$workspace/analytics"
          params={{ workspace: slug }}
          search={analyticsOf(list, id)}
          title="Analytics"
          tabIndex={-1}
          className={classes(look, 'hover:underline')}
        >
          {content}
        </Link>
      ) : (
        <span className={look}>{content}</span>
      )}
    </div>
  );
}

interface RecordMenuProps<Row extends Listed> extends Pick<ListKind, 'list'> {
  record: Row;
  name: string;
  actions: RecordActions<Row>;
  isCounted?: boolean;
  /** Actions of this kind of record, before those that all records have. */
  items: readonly (MenuItem | false)[];
  /** Further actions for people who may change the record. */
  writes?: readonly MenuItem[];
}

/** The menu of a row. */
export function RecordMenu<Row extends Listed>(props: RecordMenuProps<Row>) {
  const { list, record, name, actions, isCounted = true, items, writes = [] } = props;
  const { slug, may } = useWorkspace();
  const navigate = useNavigate();
  const { id, archived } = record;
  return (
    <div role="gridcell">
      <RowMenu
        label={`Actions for ${name}`}
        tabIndex={-1}
        items={[
          ...items,
          isCounted &&
            may('analytics.read') && {
              label: 'Analytics',
              icon: ChartNoAxesColumn,
              onSelect: () =>
                void navigate({
                  to: '/$workspace/analytics',
                  params: { workspace: slug },
                  search: analyticsOf(list, id),
                }),
            },
          isCounted && {
            label: 'Test redirect',
            icon: FlaskConical,
            onSelect: () => actions.simulate(record),
          },
          ...(may(`${list}.write`)
            ? [
                ...writes,
                {
                  label: archived ? 'Restore from archive' : 'Archive',
                  icon: archived ? ArchiveRestore : Archive,
                  onSelect: () => actions.change(record, archiving(!archived)),
                },
                isCounted && {
                  label: 'Reset counts',
                  icon: RotateCcw,
                  isDanger: true,
                  onSelect: () => actions.reset(record),
                },
                deleteItem(() => actions.remove(record)),
              ]
            : []),
        ]}
      />
    </div>
  );
}
