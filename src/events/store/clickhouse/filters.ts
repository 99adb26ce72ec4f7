import { type EventFilter, EXACT_COLUMNS, ROOT_KEY } from '../../filter.ts';
import { UTM_FIELDS } from '../../utm.ts';
import { isOneOf, literal } from './connection.ts';

/** A filter as SQL of ClickHouse: the conditions of `matcherOf`. */
export function filterSql(filter: EventFilter): string[] {
  const { records, domain, values = {}, via, parts = {}, isRoot, isEmpty } = filter;
  const { pageId, variants, utm = {} } = filter;
  const conditions: string[] = [];
  if (records !== undefined) conditions.push(isOneOf('link_id', records));
  if (domain !== undefined) conditions.push(`domain = ${literal(domain)}`);
  for (const column of EXACT_COLUMNS) {
    const some = values[column];
    if (some !== undefined) conditions.push(isOneOf(column, some));
  }
  if (via !== undefined) conditions.push(isOneOf('via', via));
  for (const [text, part] of [
    ['referer', parts.referer],
    ['page_url', parts.url],
  ] as const) {
    if (part !== undefined) {
      conditions.push(`positionCaseInsensitiveUTF8(${text}, ${literal(part)}) > 0`);
    }
  }
  for (const [at, name] of UTM_FIELDS.entries()) {
    const value = utm[name];
    if (value !== undefined) conditions.push(`${utmSql('utm', at + 1)} = ${literal(value)}`);
  }
  if (pageId !== undefined) conditions.push(`page_id = ${literal(pageId)}`);
  if (variants !== undefined) conditions.push(isOneOf('variant', variants));
  if (isRoot !== undefined) {
    const isOfRoot = `(link_id = '' AND key = ${literal(ROOT_KEY)})`;
    conditions.push(isRoot ? isOfRoot : `NOT ${isOfRoot}`);
  }
  if (isEmpty === true) conditions.push('0');
  return conditions;
}

/** SQL of a part of the value of the dimension `utm`, by its place from 1; empty without one. */
export const utmSql = (value: string, place: number): string =>
  String.raw`splitByChar('\t', ${value})[${place}]`;
