import { byText, type Order, type Position } from '../infra/keyset.ts';
import type { Paging } from '../workspaces/lists.ts';
import type { ShortLinkTables } from './model.ts';
import { VISITS } from './visits-sql.ts';

/** The page of a list, and its order. */
export interface RecordPage extends Paging {
  /** `createdAt`, `lastClicked`, `key`, `url`, `title`, or the name of the count of visits. */
  sort: string;
  sortOrder: 'asc' | 'desc';
}

/** Number of characters by which URLs and titles are sorted, so that cursors stay short. */
const SORTED_LENGTH = 500;

/** The order of a list. Records without visits come last in both directions. */
export function orderOf(
  table: ShortLinkTables['table'],
  { sort, sortOrder: direction }: Pick<RecordPage, 'sort' | 'sortOrder'>,
): Order {
  const last = direction === 'asc' ? 'infinity' : '-infinity';
  const keys: Partial<Record<string, Order['keys'][number]>> = {
    createdAt: { sql: `${table}.created_at`, type: 'timestamptz' },
    lastClicked: { sql: `coalesce(c.last_visit_at, '${last}')`, type: 'timestamptz' },
    key: byText(`${table}.key`),
    url: byText(`left(${table}.url, ${SORTED_LENGTH})`),
    title: byText(`left(lower(coalesce(${table}.title, '')), ${SORTED_LENGTH})`),
  };
  return {
    keys: [keys[sort] ?? { sql: VISITS, type: 'bigint' }, byText(`${table}.id`)],
    direction,
  };
}

/** Group of a record in a list with a search: exact matches come before the others. */
type Group = 'exact' | 'other';

/** Start of a page in a list with a search. */
interface PageStart {
  group: Group;
  /** Position in each group; `undefined` for its start. */
  afterExact: Position | undefined;
  afterOther: Position | undefined;
}

/** Reads the position of a cursor, which begins with the group. */
export function startOf(position: Position | undefined): PageStart {
  const [group = 'exact', ...after] = position ?? [];
  return group === 'other'
    ? { group, afterExact: undefined, afterOther: after }
    : {
        group: 'exact',
        afterExact: position === undefined ? undefined : after,
        afterOther: undefined,
      };
}

/** Makes the position for a cursor: in the group of the last record of the page. */
export const endOf = (group: Group, position: Position): Position => [group, ...position];
