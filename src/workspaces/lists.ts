import { type Model, type QueryBuilder, raw } from 'objection';
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
import { containing } from '../infra/like.ts';
import { nameKey } from './taken-name.ts';

/** Query parameters of a list that is read one page at a time, from page 1 or by cursor. */
export interface Paging {
  page: number;
  pageSize: number;
  /** Position of the last row of the previous page, from its cursor. */
  after?: Position | undefined;
}

/** Query parameters of a list that can be searched. */
export interface SearchQuery extends Paging {
  /** Text that the records contain, regardless of case. */
  search?: string;
}

/** Reads a page of rows in an order. */
export async function readSlice<Row extends Model>(
  rows: QueryBuilder<Row, Row[]>,
  order: Order,
  { page, pageSize, after }: Paging,
): Promise<Slice<Row>> {
  if (!rows.hasSelects()) rows.select(`${rows.modelClass().tableName}.*`);
  rows.select(raw(positionSql(order)));
  if (after !== undefined) rows.whereRaw(...afterSql(order, after));
  const found = await rows
    .orderByRaw(orderSql(order))
    .limit(pageSize + 1)
    .offset((page - 1) * pageSize);
  return sliceOf(found, pageSize);
}

/** The order of ids, which begin with the time of creation. */
export const byId = (direction: Order['direction'], sql = 'id'): Order => ({
  keys: [byText(sql)],
  direction,
});

/** The order of names, regardless of case. */
export const byName = (direction: Order['direction']): Order => ({
  keys: [byText('name_key'), byText('id')],
  direction,
});

/** Reads a page of rows, newest first. */
export const newestFirst = <Row extends Model>(
  rows: QueryBuilder<Row, Row[]>,
  paging: Paging,
): Promise<Slice<Row>> => readSlice(rows, byId('desc'), paging);

/** Limits a query of rows to those with names that contain the search. */
export function named<Row extends Model>(
  rows: QueryBuilder<Row, Row[]>,
  { search }: SearchQuery,
): QueryBuilder<Row, Row[]> {
  if (search !== undefined) rows.where('name_key', 'like', containing(nameKey(search)));
  return rows;
}

/** Reads a page of the rows with names that contain the search, by name. */
export const listByName = <Row extends Model>(
  rows: QueryBuilder<Row, Row[]>,
  query: SearchQuery,
): Promise<Slice<Row>> => readSlice(named(rows, query), byName('asc'), query);
