import { useQuery } from '@tanstack/react-query';
import { useDebounced } from '../ui/use-debounced.ts';

/** Rows of one request. */
export const PAGE_ROWS = 100;
/** The API answers no rows beyond this one: filters lead further. */
export const FURTHEST_ROW = 100_000;
/** Pause in typing after which rows are counted, in ms: a count reads all of them, and would delay the next page. */
const COUNT_MS = 400;

/** A request whose answer is kept under a key. */
export interface Question<Answer> {
  queryKey: readonly unknown[];
  queryFn(context: { signal: AbortSignal }): Promise<Answer>;
}

/** The parts of an address that have a value: an empty one asks for nothing. */
export const withoutEmpty = <Search extends Partial<Record<string, string>>>(
  search: Search,
): Search =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  ) as Search;

/** Most letters and words that the API searches for. */
const SEARCH = { letters: 200, words: 16 };

/** Cuts a search to what the parameter `query` of the API accepts. */
export const searchQuery = (text: string): string =>
  text.trim().slice(0, SEARCH.letters).split(/\s+/).slice(0, SEARCH.words).join(' ');

/**
 * Parameters of a request for a list: texts, which the API reads as the parameter's type. What is typed into the search,
 * `search` in the address bar, is `query` for the API, whose own `search` finds by slug and destination alone.
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
 * The first page of a list, and the number of all rows that match; `undefined` while they are counted. A first page that
 * is not full is the whole list, and is there before the count.
 */
export function useFirstPage<Row>(page: Question<Row[]>, count: Question<number>) {
  const first = useQuery(page);
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

/** The number of rows in words; room for it while they are counted. */
export function countText(
  total: number | undefined,
  { one, many }: { one: string; many: string },
): string {
  if (total === undefined) return '\u00a0';
  const text = `${total.toLocaleString()} ${total === 1 ? one : many}`;
  return total > FURTHEST_ROW ? `${text}. Only the first 100,000 are listed: add a filter.` : text;
}
