import {
  type DimensionName,
  dimensionOf,
  pageOf,
  partsOf,
  withoutDistrict,
} from '../../dimensions.ts';
import type { StoredEvent } from '../../event.ts';
import { utmValue } from '../postgres/event-counter.ts';
import { utmSql } from './filters.ts';
import { isNullable } from './schema.ts';

/** ClickHouse SQL of the values of a dimension. */
export interface ValueSql {
  /** SQL of the value of an event. */
  value: string;
  /** SQL that is true for events with a value. */
  condition: string;
  /** True if `condition` only says that the value is not empty. */
  isOfValue?: true;
  /** SQL that derives the final value from `value` after counting; empty if there is none. */
  part?: string;
}

/** Columns that hold the joined values of dimensions with several columns. */
const JOINED: Partial<Record<DimensionName, string>> = { city: 'place', region: 'area' };

/** SQL of a `value` of the dimension `city` without the district, like `withoutDistrict`. */
const WITHOUT_DISTRICT = String.raw`arrayStringConcat(arrayConcat(
  arraySlice(splitByChar('\t', value), 1, 2), arraySlice(splitByString(' (', splitByChar('\t', value)[3]), 1, 1)), '\t')`;

/** Builds the SQL of a dimension's values. */
export function valueSql(name: DimensionName): ValueSql {
  const { columns, isUtm, isPage, part, hasDistricts } = dimensionOf(name);
  if (isUtm) return notEmpty('utm');
  if (part !== undefined) return { ...notEmpty('utm'), part: utmSql('value', part) };
  if (isPage) return { value: 'page_url', condition: '1' };
  const nullable = columns.filter(isNullable);
  if (columns.length === 1 && nullable.length === 1) return notEmpty(columns[0]!);
  const condition =
    nullable.length === 0 ? '1' : nullable.map((column) => `${column} != ''`).join(' AND ');
  const joined = JOINED[name];
  if (joined !== undefined) {
    return { value: joined, condition, ...(hasDistricts ? { part: WITHOUT_DISTRICT } : {}) };
  }
  // An expression instead of a constant: old servers find no column if other nodes are queried for
  // constants only.
  if (columns.length === 0) return { value: 'substring(event, 1, 0)', condition };
  const value =
    columns.length === 1 ? columns[0]! : `concat(${columns.join(String.raw`, '\t', `)})`;
  return { value, condition };
}

const notEmpty = (value: string) => ({
  value,
  condition: `${value} != ''`,
  isOfValue: true as const,
});

/**
 * Makes a function that reads the dimension's value from an event, like `valueSql`; it returns
 * `undefined` if there is none.
 */
export function readerOf(name: DimensionName): (event: StoredEvent) => string | undefined {
  const { columns, isUtm, isPage, part, hasDistricts } = dimensionOf(name);
  if (isUtm) return ({ url }) => utmValue(url);
  if (part !== undefined) {
    return ({ url }) => partsOf(utmValue(url) ?? '')[part - 1] || undefined;
  }
  if (isPage) return ({ url }) => pageOf(url);
  return (event) => {
    const values = columns.map((column) => event[column]);
    if (values.includes(null)) return undefined;
    const value = values.join('\t');
    return hasDistricts ? withoutDistrict(value) : value;
  };
}
