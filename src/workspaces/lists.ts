import { containing } from '../infra/like.ts';
import { nameKey } from './taken-name.ts';

/** Query parameters of a list that is read one page at a time, from page 1. */
export interface Paging {
  page: number;
  pageSize: number;
}

/** Query parameters of a list of records with names. */
export interface NameListQuery extends Paging {
  /** Part of the name, regardless of case. */
  search?: string;
}

/** The methods of a query of rows that lists need. */
interface Rows<Self> {
  where(column: string, operator: string, value: string): Self;
  orderBy(columns: string[]): Self;
  orderBy(column: string, order: 'desc'): Self;
  limit(rows: number): Self;
  offset(rows: number): Self;
}

/** Limits a query of rows to one page. */
export const pageOf = <Self extends Rows<Self>>(rows: Self, { page, pageSize }: Paging): Self =>
  rows.limit(pageSize).offset((page - 1) * pageSize);

/** Queries one page of rows, newest first: ids begin with the time of creation. */
export const newestFirst = <Self extends Rows<Self>>(rows: Self, paging: Paging): Self =>
  pageOf(rows.orderBy('id', 'desc'), paging);

/** Queries one page of the rows whose names contain the search, by name. */
export function listByName<Self extends Rows<Self>>(rows: Self, query: NameListQuery): Self {
  const { search } = query;
  if (search !== undefined) rows.where('name_key', 'like', containing(nameKey(search)));
  return pageOf(rows.orderBy(['name_key', 'id']), query);
}
