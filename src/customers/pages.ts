import { db, rows } from '../infra/db.ts';
import {
  afterSql,
  byText,
  type Order,
  orderSql,
  type Position,
  positionSql,
  type Slice,
  sliceOf,
} from '../infra/keyset.ts';
import type { Condition, Sql } from './conditions.ts';
import type { CountedCustomer } from './model.ts';
import { type CustomerSort, SORTS } from './sorts.ts';

/*
 * Pages of customers, whose filters and sort key may be in two tables. Postgres chooses badly there:
 * it takes filters and orders for independent, while customers of one country may all be without
 * revenue, at the end of the list. So a page is read in up to two steps, each of a bounded cost:
 * first by a walk over the beginning of the index of the sort key, which finds a page of what many
 * customers match; then, if it is not full, by sorting all that match, which are few, or unlike the
 * others.
 */

/** Number of customers that a walk reads at most. */
const WALKED = 2_000;

/** Names and ids of the tables, by their aliases. */
const TABLES = {
  customers: { name: 'customers', id: 'id' },
  t: { name: 'customer_counters', id: 'customer_id' },
} as const;

type Table = keyof typeof TABLES;

const COLUMNS =
  'customers.*, t.leads, t.sales, t.sale_amount_cents, t.refund_amount_cents, t.last_seen_at';

export interface CustomerPage {
  sortBy: CustomerSort;
  sortOrder: 'asc' | 'desc';
  page: number;
  pageSize: number;
  after?: Position | undefined;
}

/** Consecutive rows of an order. */
interface Window {
  offset: number;
  limit: number;
}

/** The customers to read. */
interface Read {
  projectId: string;
  /** Table of the sort key. */
  table: Table;
  order: Order;
  /** Conditions that the index of the sort key answers, such as the cursor. */
  inIndex: readonly Sql[];
  /** Conditions that it does not answer. */
  others: readonly Condition[];
  conditions: readonly Condition[];
  position: Position | undefined;
}

/** Reads a page of the customers that match all conditions. */
export async function readPage(
  projectId: string,
  conditions: readonly Condition[],
  { sortBy, sortOrder: direction, page, pageSize, after: position }: CustomerPage,
): Promise<Slice<CountedCustomer>> {
  const { table, ...key } = SORTS[sortBy];
  const id = byText(`${table}.${TABLES[table].id}`);
  const order: Order = { keys: sortBy === 'createdAt' ? [id] : [key, id], direction };
  const after = position === undefined ? [] : [afterSql(order, position)];
  const ranges = conditions.flatMap(({ range }) => (range?.key === sortBy ? [range.where] : []));
  const others = conditions.filter(
    ({ range, where }) => range?.key !== sortBy || range.where !== where,
  );
  const inIndex = [...after, ...ranges];
  const read = { projectId, table, order, inIndex, others, conditions, position };
  return sliceOf(
    await readRows(read, { offset: (page - 1) * pageSize, limit: pageSize + 1 }),
    pageSize,
  );
}

async function readRows(read: Read, page: Window): Promise<CountedCustomer[]> {
  if (read.others.length === 0) return run(walk(read, page));
  const isNarrow = read.others.some((condition) => condition.isNarrow);
  if (isNarrow || page.offset + page.limit > WALKED) return run(sort(read, page));
  const walked = await run<CountedCustomer>(walk(read, { offset: 0, limit: WALKED }, page));
  return walked.length === page.limit || !(await goesOn(read)) ? walked : run(sort(read, page));
}

const run = <Row extends object>([sql, bindings]: Sql): Promise<Row[]> =>
  rows<Row>(db(), sql, bindings);

/**
 * Selects customers in the order of the index of the sort key.
 *
 * @param window rows of the index
 * @param page rows of the window that match the other conditions; all by default
 */
function walk(
  { projectId, table, order, inIndex, others }: Read,
  window: Window,
  page?: Window,
): Sql {
  const other = table === 't' ? 'customers' : 't';
  const of = (one: Table) => others.flatMap((it) => (it.table === one ? [it.where] : []));
  // With LIMIT 1, Postgres cannot read the other table as a whole.
  return compose`
    SELECT ${COLUMNS}, ${positionSql(order)}
      FROM (SELECT *, ${order.keys[0]!.sql} AS sort_key
              FROM ${TABLES[table].name} AS ${table}
             WHERE ${all([inProject(table, projectId), ...inIndex])}
             ORDER BY ${orderSql(order)} ${limited(window)}) AS ${table}
     CROSS JOIN LATERAL (
       SELECT * FROM ${TABLES[other].name} AS ${other}
        WHERE ${other}.${TABLES[other].id} = ${table}.${TABLES[table].id}
          AND ${all([inProject(other, projectId), ...of(other)])} LIMIT 1) AS ${other}
     WHERE ${all(of(table))}
     ORDER BY ${orderSql(bySortKey(order, table, TABLES[table].id))} ${limited(page)}`;
}

/** Returns true if the index of the sort key has rows after those of a walk. */
async function goesOn({ projectId, table, order, inIndex }: Read): Promise<boolean> {
  const found = await run(compose`
    SELECT 1 FROM ${TABLES[table].name} AS ${table}
     WHERE ${all([inProject(table, projectId), ...inIndex])}
     ORDER BY ${orderSql(order)} ${limited({ offset: WALKED, limit: 1 })}`);
  return found.length > 0;
}

/**
 * Selects a page of the customers that match, after all of them have been found. The cursor is
 * compared afterwards: with many equal sort keys, Postgres expects no rows after it.
 */
function sort({ projectId, table, order, conditions, position }: Read, page: Window): Sql {
  const found = bySortKey(order, 'found', 'id');
  const after = position === undefined ? [] : [afterSql(found, position)];
  // With OFFSET 0, Postgres finds all of them, however few the page has.
  return compose`
    SELECT ${COLUMNS}, ${positionSql(order)}
      FROM (SELECT id FROM (
              SELECT ${table}.${TABLES[table].id} AS id, ${order.keys[0]!.sql} AS sort_key
                FROM ${matching(projectId, table, conditions)} OFFSET 0) AS found
             WHERE ${all(after)} ORDER BY ${orderSql(found)} ${limited(page)}) AS page
      JOIN customers ON customers.id = page.id AND ${inProject('customers', projectId)}
      JOIN customer_counters AS t ON t.customer_id = page.id AND ${inProject('t', projectId)}
     ORDER BY ${orderSql(order)}`;
}

/** Counts the customers of a workspace that match all conditions. */
export async function countMatching(
  projectId: string,
  conditions: readonly Condition[],
): Promise<number> {
  const [row] = await run<{ count: number }>(
    compose`SELECT count(*) FROM ${matching(projectId, 'customers', conditions)}`,
  );
  return row!.count;
}

/**
 * Makes the FROM and WHERE of the customers that match. Each has a row in both tables, so only the
 * necessary ones are read.
 *
 * @param table one of the tables to read
 */
function matching(projectId: string, table: Table, conditions: readonly Condition[]): Sql {
  const tables = [...new Set([table, ...conditions.map((condition) => condition.table)])];
  const where = [
    ...tables.map((one) => inProject(one, projectId)),
    ...conditions.flatMap((condition) => [condition.where, ...(condition.indexed ?? [])]),
    ...(tables.length > 1 ? [['t.customer_id = customers.id', []] satisfies Sql] : []),
  ];
  return compose`${tables.map((one) => `${TABLES[one].name} AS ${one}`).join(', ')} WHERE ${all(where)}`;
}

const inProject = (table: Table, projectId: string): Sql => [
  `${table}.project_id = ?`,
  [projectId],
];

const limited = (window: Window | undefined): Sql =>
  window === undefined ? ['', []] : ['LIMIT ? OFFSET ?', [window.limit, window.offset]];

/** The order of rows that have the sort key as a column. */
const bySortKey = ({ keys, direction }: Order, row: string, id: string): Order => ({
  keys: keys.map(({ type }, at) => ({ sql: `${row}.${at === 0 ? 'sort_key' : id}`, type })),
  direction,
});

const all = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0
    ? ['true', []]
    : [
        conditions.map(([sql]) => sql).join(' AND '),
        conditions.flatMap(([, bindings]) => bindings),
      ];

/** Joins the parts of a statement with their bindings. */
function compose(texts: TemplateStringsArray, ...parts: readonly (string | Sql)[]): Sql {
  const pairs = parts.map((part): Sql => (typeof part === 'string' ? [part, []] : part));
  return [
    texts.map((text, at) => text + (pairs[at]?.[0] ?? '')).join(''),
    pairs.flatMap(([, bindings]) => bindings),
  ];
}
