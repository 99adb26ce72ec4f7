import { type DimensionName, dimensionOf, pageOf, partsOf } from '../../dimensions.ts';
import type { StoredEvent } from '../../event.ts';
import { utmValue } from '../postgres/tally.ts';
import { utmSql } from './filters.ts';

/** SQL of ClickHouse of the value of a dimension; NULL where an event has none. */
export function valueSql(name: DimensionName): string {
  const { columns, isUtm, isPage, part } = dimensionOf(name);
  if (isUtm) return "nullIf(utm, '')";
  if (part !== undefined) return `nullIf(${utmSql(part)}, '')`;
  if (isPage) return 'page_url';
  if (columns.length === 0) return "''";
  return columns.length === 1 ? columns[0]! : `concat(${columns.join(String.raw`, '\t', `)})`;
}

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
