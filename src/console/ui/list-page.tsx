import { type LucideIcon, Plus } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { Paged } from '../api/paged.ts';
import { Button } from './button.tsx';
import { Page } from './page.tsx';
import { RecordList } from './record-list.tsx';
import { Empty } from './states.tsx';
import { useFocusHandover } from './use-focus-handover.ts';

interface ListPageProps<Row> {
  title: string;
  isNarrow?: boolean;
  query: Paged<Row>;
  /** The action that creates a record; false for people who may not. */
  create: { label: string; onClick(): void } | false;
  /** Icon and title of the empty state. */
  icon: LucideIcon;
  emptyTitle: string;
  /** Purpose of the records, shown while there are none. */
  purpose: ReactNode;
  renderRows(rows: readonly Row[]): ReactNode;
  /** Content below the list, and dialogs. */
  children: ReactNode;
}

/** A view that lists records and creates them. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { title, isNarrow = false, query, create, icon, emptyTitle, purpose } = props;
  const button = create && (
    <Button look="primary" icon={Plus} onClick={create.onClick}>
      {create.label}
    </Button>
  );
  return (
    <Page title={title} isNarrow={isNarrow} actions={query.rows.length > 0 && button}>
      <RecordList
        query={query}
        empty={
          <Empty
            icon={icon}
            title={emptyTitle}
            action={button && <FirstAction>{button}</FirstAction>}
          >
            {purpose}
          </Empty>
        }
      >
        {props.renderRows}
      </RecordList>
      {props.children}
    </Page>
  );
}

/** The button of an empty list, which the first record replaces. */
function FirstAction({ children }: { children: ReactNode }) {
  const part = useRef<HTMLDivElement>(null);
  useFocusHandover(part);
  return <div ref={part}>{children}</div>;
}
