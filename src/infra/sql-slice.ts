import { db, rows, type SqlValue } from './db.ts';
import { afterSql, type Order, orderSql, type Position, type Slice, sliceOf } from './keyset.ts';

/** A page of rows: its number from 1, or the position before it, and its size. */
interface Page {
  page: number;
  size: number;
  after?: Position | undefined;
}

/**
 * Reads a page of the rows of a query in SQL.
 *
 * @param sql a query that selects `positionSql` of the order, and ends with a condition
 */
export async function sqlSlice<Row extends object>(
  sql: string,
  bindings: readonly SqlValue[],
  order: Order,
  { page, size, after }: Page,
): Promise<Slice<Row>> {
  const [condition, position] = after === undefined ? ['true', []] : afterSql(order, after);
  const found = await rows<Row>(
    db(),
    `${sql} AND ${condition} ORDER BY ${orderSql(order)} LIMIT ? OFFSET ?`,
    [...bindings, ...position, size + 1, (page - 1) * size],
  );
  return sliceOf(found, size);
}
