import { containing } from '../infra/like.ts';
import { nameKey } from './taken-name.ts';

/** Query parameters of a list that is read one page at a time, from page 1. */
export interface Paging {
  page: number;
  pageSize: number;
}

/** Query parameters of a list that can be searched. */
export interface SearchQuery extends Paging {
  /** Text that the records contain, regardless of case. */
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

/** Limits a query of rows to those with names that contain the search. */
export function named<Self extends Rows<Self>>(rows: Self, { search }: SearchQuery): Self {
  if (search !== undefined) rows.where('name_key', 'like', containing(nameKey(search)));
  return rows;
}

/** Queries one page of the rows with names that contain the search, by name. */
export const listByName = <Self extends Rows<Self>>(rows: Self, query: SearchQuery): Self =>
  pageOf(named(rows, query).orderBy(['name_key', 'id']), query);
