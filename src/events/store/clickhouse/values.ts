import { type DimensionName, dimensionOf, pageOf, partsOf } from '../../dimensions.ts';
import type { StoredEvent } from '../../event.ts';
import { utmValue } from '../postgres/tally.ts';
import { utmSql } from './filters.ts';
import { isNullable } from './schema.ts';

/** SQL of ClickHouse of the values of a dimension. */
export interface ValueSql {
  /** Of an event. */
  value: string;
  /** True for events that have one. */
  condition: string;
  /** True where `condition` says that the value is not empty, and nothing else. */
  isOfValue?: true;
  /** Made of `value` once values are counted; empty where there is none. */
  part?: string;
}

/** Columns that have the values of dimensions of several columns. */
const JOINED: Partial<Record<DimensionName, string>> = { city: 'place', region: 'area' };

/** SQL of the values of a dimension. */
export function valueSql(name: DimensionName): ValueSql {
  const { columns, isUtm, isPage, part } = dimensionOf(name);
  if (isUtm) return notEmpty('utm');
  if (part !== undefined) return { ...notEmpty('utm'), part: utmSql('value', part) };
  if (isPage) return { value: 'page_url', condition: '1' };
  const nullable = columns.filter(isNullable);
  if (columns.length === 1 && nullable.length === 1) return notEmpty(columns[0]!);
  const condition =
    nullable.length === 0 ? '1' : nullable.map((column) => `${column} != ''`).join(' AND ');
  const joined = JOINED[name];
  if (joined !== undefined) return { value: joined, condition };
  // Not a constant: old servers find no column where they ask other nodes for constants only.
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

/** Reads the value of a dimension of an event; `undefined` where it has none. As `valueSql`. */
export function readerOf(name: DimensionName): (event: StoredEvent) => string | undefined {
  const { columns, isUtm, isPage, part } = dimensionOf(name);
  if (isUtm) return ({ url }) => utmValue(url);
  if (part !== undefined) {
    return ({ url }) => partsOf(utmValue(url) ?? '')[part - 1] || undefined;
  }
  if (isPage) return ({ url }) => pageOf(url);
  return (event) => {
    const values = columns.map((column) => event[column]);
    return values.includes(null) ? undefined : values.join('\t');
  };
}
