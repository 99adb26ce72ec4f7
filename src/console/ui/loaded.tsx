import type { ReactNode } from 'react';
import { Failure, Skeleton } from './states.tsx';

interface LoadedProps<Data> {
  query: {
    data: Data | undefined;
    isPending: boolean;
    error: Error | null;
    refetch(): unknown;
  };
  /** Class names of the placeholder while the query loads. */
  skeleton: string;
  /** Content in place of an empty list. */
  empty?: ReactNode;
  children(data: Data): ReactNode;
}

/** The result of a query: a placeholder while it loads, then its content or an error. */
export function Loaded<Data>({ query, skeleton, empty, children }: LoadedProps<Data>) {
  const { data, isPending, error, refetch } = query;
  const isEmpty = empty !== undefined && Array.isArray(data) && data.length === 0;
  return (
    <>
      {isPending && <Skeleton className={skeleton} />}
      {error && <Failure error={error} retry={() => void refetch()} />}
      {isEmpty ? empty : data !== undefined && children(data)}
    </>
  );
}
