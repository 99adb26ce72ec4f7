import type { LinkEntry, QueryConflict } from '../lookup/entry.ts';

/**
 * Adds parameters to the query of a URL. All bytes are kept, since some destinations sign their
 * query.
 *
 * @param added parameters as they were sent
 * @param winner whose parameters stay where both sides have one of the same name
 */
export function merge(destination: string, added: string[], winner: QueryConflict): string {
  const hash = destination.indexOf('#');
  const [address, fragment] =
    hash < 0 ? [destination, ''] : [destination.slice(0, hash), destination.slice(hash)];
  const mark = address.indexOf('?');
  if (mark < 0) return `${address}?${added.join('&')}${fragment}`;
  const present = address.slice(mark + 1);
  const parts = present === '' ? [] : present.split('&');
  const [own, others] =
    winner === 'visitor' ? [without(parts, added), added] : [parts, without(added, parts)];
  return `${address.slice(0, mark)}?${[...own, ...others].join('&')}${fragment}`;
}

/** Returns the parameters whose names are not among others. */
function without(parameters: string[], others: string[]): string[] {
  const names = namesOf(others);
  return parameters.filter((part) => !names.has(nameOf(part)));
}

/**
 * True when the visitor's query repeats a parameter of a destination, and the workspace decides
 * which one wins.
 */
export function leavesConflict(link: LinkEntry, query: string): boolean {
  if (link.queryConflict !== undefined || link.dropsQuery === true) return false;
  const { destination, ios, android, geo = {}, rules = [], split } = link;
  const targets = [...rules, ...(split?.variants ?? [])].map(({ url }) => url);
  const urls = [destination, ios, android, ...Object.values(geo), ...targets];
  return urls.some((url) => url !== undefined && repeats(url, query));
}

/** True when a query has a parameter of a name that the query of a URL has too. */
function repeats(url: string, query: string): boolean {
  const mark = url.indexOf('?');
  if (mark < 0) return false;
  const names = namesOf(
    url
      .slice(mark + 1)
      .replace(/#.*$/s, '')
      .split('&'),
  );
  return query.split('&').some((part) => part !== '' && names.has(nameOf(part)));
}

const namesOf = (parameters: string[]): Set<string> =>
  new Set(parameters.filter((part) => part !== '').map(nameOf));

/** Decodes the name of a parameter, as the destination will: `utm%5Fsource` equals `utm_source`. */
function nameOf(part: string): string {
  const equals = part.indexOf('=');
  const raw = equals < 0 ? part : part.slice(0, equals);
  if (!/[%+]/.test(raw)) return raw;
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return raw;
  }
}
