import type { ReactNode } from 'react';
import type { Paged } from '../api/paged.ts';
import { Button } from './button.tsx';
import { Failure, Skeleton } from './states.tsx';

interface RecordListProps<Row> {
  query: Paged<Row>;
  /** In place of a list without records. */
  empty: ReactNode;
  children(rows: readonly Row[]): ReactNode;
}

/** Records that are loaded page by page: their shape at first, then they, or why they can't be shown. */
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

/** The shape of a list that is being loaded. */
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
