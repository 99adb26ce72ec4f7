import { pageOf } from '../dimensions.ts';
import type { StoredEvent } from '../event.ts';
import { type EventFilter, EXACT_COLUMNS, ROOT_KEY } from '../filter.ts';
import { UTM_FIELDS, utmText } from '../utm.ts';

/** Says of an event if a filter lets it through. */
export type Matcher = (event: StoredEvent) => boolean;

const isOfRoot = ({ link_id, key }: StoredEvent): boolean => link_id === null && key === ROOT_KEY;

/** A filter as a function of the event itself; `postgres/filters.ts` has the same conditions as SQL. */
export function matcherOf(filter: EventFilter): Matcher {
  const { records, domain, values = {}, via, parts = {}, isRoot, isEmpty } = filter;
  const { pageId, variants, utm = {} } = filter;
  const conditions: Matcher[] = [];
  if (isEmpty === true) conditions.push(() => false);
  if (records !== undefined) {
    const ids = new Set<string | null>(records);
    conditions.push(({ link_id }) => ids.has(link_id));
  }
  if (domain !== undefined) conditions.push((event) => event.domain === domain);
  for (const column of EXACT_COLUMNS) {
    const some = values[column];
    if (some !== undefined) conditions.push((event) => some.includes(event[column]));
  }
  if (via !== undefined) conditions.push((event) => via.includes(event.via));
  for (const column of ['referer', 'url'] as const) {
    const part = parts[column]?.toLowerCase();
    if (part !== undefined) {
      const textOf = column === 'url' ? pageOf : (text: string) => text;
      conditions.push((event) => textOf(event[column]).toLowerCase().includes(part));
    }
  }
  for (const name of UTM_FIELDS) {
    const value = utm[name];
    if (value !== undefined) conditions.push(({ url }) => utmText(url, name) === value);
  }
  if (pageId !== undefined) conditions.push((event) => event.page_id === pageId);
  if (variants !== undefined) {
    conditions.push(({ variant }) => variant !== null && variants.includes(variant));
  }
  if (isRoot !== undefined) conditions.push((event) => isOfRoot(event) === isRoot);
  return (event) => conditions.every((holds) => holds(event));
}
