import { externalIdIn } from '../http/fields.ts';
import type { SqlValue } from '../infra/db.ts';
import { contains, pairsOf } from '../infra/like.ts';
import { UNKNOWN } from '../visitors/places.ts';
import { findByExternalId } from './find.ts';
import { type CustomerSort, SORTS } from './sorts.ts';

/** Filters of lists, counts and exports of customers. */
export interface CustomerFilters {
  search?: string;
  email?: string;
  externalId?: string;
  ids?: string[];
  country?: string[];
  minSaleAmount?: number;
  maxSaleAmount?: number;
  seenSince?: string;
}

/** A part of a statement, with the bindings of its placeholders. */
export type Sql = readonly [sql: string, bindings: readonly SqlValue[]];

/** A condition on one of the two tables of customers. */
export interface Condition {
  table: 'customers' | 't';
  where: Sql;
  /** A range in the index of a sort key that has all matching rows, and maybe others. */
  range?: { key: CustomerSort; where: Sql };
  /** Conditions that follow from this one, for an index. They are slow to evaluate on a row. */
  indexed?: readonly Sql[];
  /** Few rows match, which an index finds. */
  isNarrow?: true;
}

/** Makes the conditions of filters, which all must be true. */
export async function conditionsOf(
  projectId: string,
  filters: CustomerFilters,
): Promise<Condition[]> {
  const { search, email, externalId, ids, country } = filters;
  const conditions: Condition[] = [];
  const narrow = (where: Sql) => conditions.push({ table: 'customers', where, isNarrow: true });
  if (ids !== undefined) narrow(['customers.id = ANY(?)', [ids]]);
  if (email !== undefined) narrow(['customers.email = ?', [email]]);
  if (externalId !== undefined) {
    const named = externalIdIn(externalId) ?? externalId;
    narrow(['customers.id = ?', [(await findByExternalId(projectId, named))?.id ?? '']]);
  }
  if (search !== undefined) conditions.push(searched(search));
  if (country !== undefined) conditions.push(inCountries(country));
  const { minSaleAmount, maxSaleAmount, seenSince } = filters;
  if (minSaleAmount !== undefined) conditions.push(inRange('saleAmount', '>=', minSaleAmount));
  if (maxSaleAmount !== undefined) conditions.push(inRange('saleAmount', '<=', maxSaleAmount));
  if (seenSince !== undefined) conditions.push(inRange('lastSeenAt', '>=', seenSince));
  return conditions;
}

/** The texts of a customer that are searched. */
const SEARCHED = ['name', 'email', 'external_id'].map((column) => `customers.${column}`);

/** The expression of their index. */
const PAIRS = `letter_pairs(${SEARCHED.join(', ')}) COLLATE "C"`;

function searched(search: string): Condition {
  const parts = SEARCHED.map((column) => contains(column, search));
  return {
    table: 'customers',
    where: [
      `(${parts.map(([sql]) => sql).join(' OR ')})`,
      parts.flatMap(([, bindings]) => bindings),
    ],
    indexed: pairsOf(search).map((pair) => [`${PAIRS} && ?`, [pair]]),
  };
}

function inCountries(codes: readonly string[]): Condition {
  const stored = codes.map((code) => (code === UNKNOWN ? '' : code)).toSorted();
  const { sql } = SORTS.country;
  const ends = [stored[0]!, stored.at(-1)!];
  return {
    table: 'customers',
    where: [`${sql} = ANY(?)`, [stored]],
    range: { key: 'country', where: [`${sql} BETWEEN ? AND ?`, ends] },
  };
}

function inRange(
  key: 'saleAmount' | 'lastSeenAt',
  operator: '>=' | '<=',
  value: string | number,
): Condition {
  const { table, sql, type } = SORTS[key];
  const where: Sql = [`${sql} ${operator} ?::${type}`, [value]];
  return { table, where, range: { key, where } };
}
