import type { SqlValue } from '../../../infra/db.ts';
import { spellingsPattern } from '../../../infra/letter-case.ts';
import { containing } from '../../../infra/like.ts';
import {
  type Condition,
  type EventFilter,
  FILTERS,
  type FilterName,
  ignoresCase,
  keyOf,
  ROOT_KEY,
  type Test,
} from '../../filters.ts';
import { UTM_FIELDS } from '../../utm.ts';
import { cityKeySql, pageSql } from './value-sql.ts';

/** SQL of the compared values of events `e` that are not those of a column. */
const COMPUTED: Partial<Record<FilterName, string>> = {
  city: cityKeySql('e.city'),
  url: pageSql('e.url'),
  // Sales without a link have no key. Leads and sales have the key of their click.
  root: `(e.link_id IS NULL AND e.key = '${ROOT_KEY}')`,
  ...Object.fromEntries(UTM_FIELDS.map((name, at) => [name, `(utm_texts(e.url))[${at + 1}]`])),
};

/** A filter as SQL on events `e`. */
export interface FilterSql {
  records?: string[];
  domain?: string;
  /** All conditions except records and domain, each preceded by AND. */
  conditions: string;
  /** Values of all placeholders, by name. */
  bindings: Record<string, SqlValue>;
}

/** Joins all conditions of a filter. */
export function filterSql({ records, domain, conditions }: FilterSql): string {
  return [
    ...(records === undefined ? [] : ['AND e.link_id = ANY(:records)']),
    ...(domain === undefined ? [] : ['AND e.domain = :domain']),
    conditions,
  ].join(' ');
}

/** Returns the placeholder of a condition; those of records and a domain have other names. */
export const bindingOf = (filter: FilterName): string => `of_${filter}`;

/** Converts a filter to SQL. */
export function toSql({ records, domain, conditions = [] }: EventFilter): FilterSql {
  const named = {
    ...(records === undefined ? {} : { records }),
    ...(domain === undefined ? {} : { domain }),
  };
  const bindings: Record<string, SqlValue> = { ...named };
  const sql = conditions.map((condition) => conditionSql(condition, bindings));
  return { ...named, conditions: sql.join(' '), bindings };
}

function conditionSql(condition: Condition, bindings: Record<string, SqlValue>): string {
  const { filter } = condition;
  if (!('not' in condition)) return `AND ${testSql(filter, condition, bindings)}`;
  // Tests of events without a value are null.
  return `AND (${testSql(filter, condition.not, bindings)}) IS NOT TRUE`;
}

function testSql(filter: FilterName, test: Test, bindings: Record<string, SqlValue>): string {
  const name = bindingOf(filter);
  const value = COMPUTED[filter] ?? `e.${FILTERS[filter].column}`;
  if ('is' in test) return `${test.is ? '' : 'NOT '}${value}`;
  if ('contains' in test) {
    bindings[name] = containing(test.contains);
    return `${value} ILIKE :${name}`;
  }
  if ('containsOne' in test) {
    bindings[name] = test.containsOne.map(containing);
    return `${value} ILIKE ANY(:${name})`;
  }
  if (ignoresCase(filter)) {
    bindings[name] = spellingsPattern(test.oneOf);
    return `${value} ~ :${name}`;
  }
  bindings[name] = test.oneOf.map((one) => keyOf(filter, one));
  return `${value} = ANY(:${name})`;
}
