/*
 * Pages of a list by keyset: a page begins after the sort values of the last row of the page
 * before, not after a number of rows. It costs the same at any depth, and rows that are inserted or
 * deleted meanwhile neither repeat nor hide others.
 */

/** A column or expression of an order; it is never null. */
interface SortKey {
  /** SQL, not from outside. */
  sql: string;
  type: 'text' | 'timestamptz' | 'bigint';
}

/** An order in which no two rows are equal. All of its keys have one direction. */
export interface Order {
  keys: readonly SortKey[];
  direction: 'asc' | 'desc';
}

/** The sort values of a row, as Postgres prints them. */
export type Position = readonly string[];

/** Consecutive rows of a list. */
export interface Slice<Row> {
  rows: Row[];
  /** Position of the last of these rows, if more follow. */
  next?: Position | undefined;
}

/** Name of the column in which {@link positionSql} is selected. */
const POSITION = 'list_position';

/** The order of the values of a text column, in which ids end every order. */
export const byText = (sql: string): SortKey => ({ sql, type: 'text' });

/** SQL of the order, for ORDER BY. */
export const orderSql = ({ keys, direction }: Order): string =>
  keys.map(({ sql }) => `${sql} ${direction}`).join(', ');

/** SQL of the position of a row, with the name {@link POSITION}. */
export const positionSql = ({ keys }: Order): string =>
  `ARRAY[${keys.map(({ sql }) => `(${sql})::text`).join(', ')}] AS ${POSITION}`;

/**
 * SQL that is true for the rows after a position. A comparison of rows, which Postgres answers by
 * an index on the keys.
 */
export const afterSql = (
  { keys, direction }: Order,
  position: Position,
): [sql: string, bindings: string[]] => [
  `(${keys.map(({ sql }) => sql).join(', ')}) ${direction === 'asc' ? '>' : '<'} ` +
    `(${keys.map(({ type }) => `?::${type}`).join(', ')})`,
  [...position],
];

/**
 * Makes a slice of the rows of a query whose limit is one row more than the page has.
 *
 * @param size rows of the page
 */
export function sliceOf<Row extends object>(rows: readonly Row[], size: number): Slice<Row> {
  const last = rows.length > size ? (rows[size - 1] as { [POSITION]?: Position }) : undefined;
  return { rows: rows.slice(0, size), next: last?.[POSITION] };
}

/** Converts the rows of a slice. */
export const mapSlice = <Row, Item>(
  { rows, next }: Slice<Row>,
  convert: (row: Row) => Item,
): Slice<Item> => ({ rows: rows.map((row) => convert(row)), next });
