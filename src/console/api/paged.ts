import { useInfiniteQuery } from '@tanstack/react-query';
import { type Key, pagedKey } from './keys.ts';

/** A list of records loaded page by page. */
export interface Paged<Row> {
  rows: readonly Row[];
  isPending: boolean;
  error: Error | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch(): unknown;
  fetchNextPage(): unknown;
}

/** Records per page, a size that all lists of the API accept. */
export const PAGE_SIZE = 50;

/**
 * Loads all pages of a list; a page that is not full is the last.
 *
 * @param pageSize records of a full page
 */
export async function everyPage<Row>(
  pageSize: number,
  load: (page: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const loaded = await load(page);
    rows.push(...loaded);
    if (loaded.length < pageSize) return rows;
  }
}

/**
 * Loads a list of the API page by page.
 *
 * @param key query key of the list
 * @param load loads a page of `PAGE_SIZE` records, counted from 1
 */
export function usePaged<Row>(
  key: Key,
  load: (page: number, signal: AbortSignal) => Promise<Row[]>,
  options: { enabled?: boolean; refetchInterval?: number | false } = {},
): Paged<Row> {
  const query = useInfiniteQuery({
    ...options,
    queryKey: pagedKey(key),
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.length < PAGE_SIZE ? undefined : all.length + 1),
    placeholderData: (before) => before,
  });
  return { ...query, rows: query.data?.pages.flat() ?? [] };
}
