import { useNavigate } from '@tanstack/react-router';
import {
  Archive,
  ArchiveRestore,
  ChartNoAxesColumn,
  Copy,
  CopyPlus,
  FlaskConical,
  RotateCcw,
  Share2,
} from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { copy } from '../ui/button.tsx';
import type { MenuItem } from '../ui/menu.tsx';
import { deleteItem } from '../ui/menu-items.ts';
import { share } from '../ui/share.ts';
import { toast } from '../ui/toasts.tsx';
import type { ListKind } from './list-kind.ts';
import { archiving, type Listed } from './listed.ts';
import { analyticsOf } from './listing.ts';
import type { RecordActions } from './record-page.tsx';
import { statsUrlOf } from './stats-url.ts';

/** A record that may have public statistics. */
export type Counted = Listed & { publicStats: boolean };

/** The menu of a record, in its row and on its page. */
export interface RecordItems<Row extends Counted> extends Pick<ListKind, 'list'> {
  record: Row;
  /** Title of the record where it is shared. */
  title: string;
  /** The short link; absent for a static code. */
  shortLink: string | undefined;
  actions: Pick<RecordActions<Row>, 'change' | 'remove' | 'reset' | 'simulate'>;
  isCounted?: boolean;
  /** Actions of this kind of record, before those that all records have. */
  items: readonly (MenuItem | false)[];
  duplicate(): void;
}

/** Returns the menu items of a record that the person may use. */
export function useRecordItems<Row extends Counted>(of: RecordItems<Row>): (MenuItem | false)[] {
  const { list, record, title, shortLink, actions, isCounted = true } = of;
  const { slug, may } = useWorkspace();
  const navigate = useNavigate();
  const { id, archived } = record;
  const mayWrite = may(`${list}.write`);
  return [
    ...of.items,
    shortLink !== undefined && {
      label: 'Share',
      icon: Share2,
      onSelect: () => void share(title, shortLink),
    },
    shortLink !== undefined &&
      record.publicStats && {
        label: 'Copy URL of public statistics',
        icon: Copy,
        onSelect: () =>
          void copy(statsUrlOf(shortLink)).then(() => toast('URL of the statistics copied')),
      },
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
    mayWrite && { label: 'Duplicate', icon: CopyPlus, onSelect: () => of.duplicate() },
    mayWrite && {
      label: archived ? 'Restore from archive' : 'Archive',
      icon: archived ? ArchiveRestore : Archive,
      onSelect: () => actions.change(record, archiving(!archived)),
    },
    mayWrite &&
      isCounted && {
        label: 'Reset counts',
        icon: RotateCcw,
        isDanger: true,
        onSelect: () => actions.reset(record),
      },
    mayWrite && deleteItem(() => actions.remove(record)),
  ];
}
