import { lettersBeyondAscii } from '../../../infra/letter-case.ts';
import { memoize } from '../../../infra/memoize.ts';
import { EARLIER_SYSTEMS } from '../../../visitors/device.ts';
import { SOURCE_NAMES } from '../../../visitors/sources.ts';
import { type DimensionName, deriveFrom, dimensionOf, pageOf } from '../../dimensions.ts';
import type { StoredEvent } from '../../event.ts';
import { utmValue } from '../postgres/event-counter.ts';
import { literal } from './connection.ts';
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
  derived?: string;
}

/** SQL that translates a text by a table; others stay. */
function translated(text: string, table: Iterable<readonly [from: string, to: string]>): string {
  const rows = [...table];
  const [from, to] = [0, 1].map((at) => `[${rows.map((row) => literal(row[at]!)).join(', ')}]`);
  return `transform(${text}, ${from}, ${to}, ${text})`;
}

/** SQL that removes `www.` from a host, as `sourceOf` does. */
const withoutWww = (host: string): string =>
  `if(startsWith(${host}, 'www.') AND NOT startsWith(${host}, 'www.www.') ` +
  `AND position(substring(${host}, 5), '.') > 0, substring(${host}, 5), ${host})`;

/** SQL of the names that dimensions give to stored values, as their `nameOf` does. */
const NAMED: Partial<Record<DimensionName, (value: string) => string>> = {
  system: (value) => translated(value, EARLIER_SYSTEMS),
  source: (value) => translated(withoutWww(value), SOURCE_NAMES),
};

/** SQL that converts a text to small letters, as `foldCase` does. */
export const foldSql = memoize((text: string): string => {
  const { capitals, small } = lettersBeyondAscii();
  const table = capitals.map((capital, at) => [capital, small[at]!] as const);
  const letters = `arrayMap(c -> ${translated('c', table)}, extractAll(${text}, '(?s).'))`;
  return `lower(arrayStringConcat(${letters}))`;
}, new Map<string, string>());

/** Columns that hold the joined values of dimensions with several columns. */
const JOINED: Partial<Record<DimensionName, string>> = { city: 'place', region: 'area' };

/** SQL of a `value` of the dimension `city` without the district, like `withoutDistrict`. */
const WITHOUT_DISTRICT = String.raw`arrayStringConcat(arrayConcat(
  arraySlice(splitByChar('\t', value), 1, 2), arraySlice(splitByString(' (', splitByChar('\t', value)[3]), 1, 1)), '\t')`;

/** Builds the SQL of a dimension's values. */
export function valueSql(name: DimensionName): ValueSql {
  const { columns, isUtm, isPage, part } = dimensionOf(name);
  if (isUtm) return notEmpty('utm');
  if (part !== undefined) return { ...notEmpty('utm'), derived: utmSql('value', part) };
  const named = NAMED[name];
  if (named !== undefined) {
    return { value: columns[0]!, condition: '1', derived: named('toString(value)') };
  }
  if (isPage) return { value: 'page_url', condition: '1' };
  const nullable = columns.filter(isNullable);
  if (columns.length === 1 && nullable.length === 1) return notEmpty(columns[0]!);
  const condition =
    nullable.length === 0 ? '1' : nullable.map((column) => `${column} != ''`).join(' AND ');
  const joined = JOINED[name];
  if (joined !== undefined) {
    return { value: joined, condition, ...(name === 'city' && { derived: WITHOUT_DISTRICT }) };
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
  const { columns, isUtm, isPage, storedAs } = dimensionOf(name);
  if (isUtm) return ({ url }) => utmValue(url);
  if (storedAs === 'utm') {
    const derive = deriveFrom(name);
    return ({ url }) => derive(utmValue(url) ?? '') || undefined;
  }
  if (isPage) return ({ url }) => pageOf(url);
  const nameOf = dimensionOf(name).nameOf ?? ((value: string) => value);
  return (event) => {
    const values = columns.map((column) => event[column]);
    return values.includes(null) ? undefined : nameOf(values.join('\t'));
  };
}
