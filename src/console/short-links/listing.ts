import { useQuery } from '@tanstack/react-query';
import { useDebounced } from '../ui/use-debounced.ts';
import type { ListKind } from './list-kind.ts';
import { searchQuery } from './search-query.ts';

/** Rows per request. */
export const PAGE_ROWS = 100;
/** Last row that the API returns; filters are needed to see more. */
export const FURTHEST_ROW = 100_000;
/**
 * Delay after typing before rows are counted, in ms: a count reads all matching rows and would
 * delay the next page.
 */
const COUNT_MS = 400;

/** Age up to which people may be waiting for the first visits of a record, in ms. */
const NEW_MS = 10 * 60_000;
/** Interval between requests for the visits of new records, in ms. */
const REFRESH_MS = 5_000;

/**
 * Returns the interval at which to read records again: only new ones, since their owners test them
 * and wait for the visit to be counted.
 */
export const refreshOf = (records: readonly { createdAt: string }[] = []): number | false =>
  records.some(({ createdAt }) => Date.now() - Date.parse(createdAt) < NEW_MS) && REFRESH_MS;

/** A request and the key of its cached response. */
export interface Query<Answer> {
  queryKey: readonly unknown[];
  queryFn(context: { signal: AbortSignal }): Promise<Answer>;
}

/** Drops the empty search parameters. */
export const withoutEmpty = <Search extends Partial<Record<string, string>>>(
  search: Search,
): Search =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  ) as Search;

/**
 * Builds the query parameters of a list request as strings, which the API parses. The URL's
 * `search` becomes the API's `query`, because the API's own `search` covers only slugs and
 * destinations.
 */
export const parametersOf = (
  search: Partial<Record<string, string>>,
  names: readonly string[],
): Partial<Record<string, string>> =>
  withoutEmpty(
    Object.fromEntries(
      names.map((name) =>
        name === 'search'
          ? ['query', searchQuery(search['search'] ?? '')]
          : [name, search[name] ?? ''],
      ),
    ),
  );

/**
 * Loads the first page of a list and the number of matching rows, which is `undefined` while they
 * are counted. A first page that is not full is the whole list, so it needs no count.
 *
 * @param isFormOpen true to read new records no more: an ended session would interrupt the form
 */
export function useFirstPage<Row extends { createdAt: string }>(
  page: Query<Row[]>,
  count: Query<number>,
  isFormOpen: boolean,
) {
  const first = useQuery({
    ...page,
    refetchInterval: ({ state }) => !isFormOpen && refreshOf(state.data),
  });
  const isFull = first.data?.length === PAGE_ROWS;
  const key = JSON.stringify(count.queryKey);
  const isSettled = useDebounced(key, COUNT_MS) === key;
  const counted = useQuery({
    ...count,
    enabled: isFull && isSettled,
    placeholderData: (before: number | undefined) => before,
  });
  const total = first.data === undefined || isFull ? counted.data : first.data.length;
  return { first, total };
}

/**
 * Formats the number of rows; a non-breaking space keeps the layout stable while they are counted.
 */
export function countText(
  total: number | undefined,
  { inWords }: Pick<ListKind, 'inWords'>,
): string {
  if (total === undefined) return '\u00a0';
  const text = inWords(total);
  return total > FURTHEST_ROW ? `${text}. Only the first 100,000 are listed: add a filter.` : text;
}

/** Search parameters for analytics of the visits of a link or a QR code. */
export const analyticsOf = (list: 'links' | 'qrcodes', id: string) =>
  list === 'links'
    ? ({ linkId: id, interval: 'all' } as const)
    : ({ qrcodeId: id, event: 'scans', interval: 'all' } as const);
