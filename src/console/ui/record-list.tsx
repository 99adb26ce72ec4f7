import type { ReactNode } from 'react';
import type { Paged } from '../api/paged.ts';
import { Button } from './button.tsx';
import { Failure, Skeleton } from './states.tsx';

interface RecordListProps<Row> {
  query: Paged<Row>;
  /** Content to show when there are no records. */
  empty: ReactNode;
  children(rows: readonly Row[]): ReactNode;
}

/** A list loaded page by page: a skeleton while it loads, then the records or an error. */
export function RecordList<Row>({ query, empty, children }: RecordListProps<Row>) {
  if (query.isPending) return <RowShapes />;
  if (query.error && query.rows.length === 0) {
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  }
  if (query.rows.length === 0) return empty;
  return (
    <>
      {children(query.rows)}
      {query.hasNextPage && (
        <div className="flex justify-center p-4">
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

/** Skeleton of a list that is loading. */
function RowShapes() {
  return (
    <div role="status" className="flex flex-col gap-3 px-4 py-2 md:px-6">
      <span className="sr-only">Loading</span>
      {[0, 1, 2, 3].map((row) => (
        <div key={row} className="flex h-8 items-center gap-4">
          <Skeleton className="h-4 w-1/3" />
          <Skeleton className="h-4 w-1/4" />
          <Skeleton className="h-4 w-1/6 max-md:hidden" />
        </div>
      ))}
    </div>
  );
}
