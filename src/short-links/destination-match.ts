import type { ShortLinkTables } from './model.ts';
import { BadDestination, parseDestination } from './url-field.ts';

/**
 * Builds SQL that is true for records with exactly this destination. The index has its hash, since
 * a destination can be longer than an index allows.
 *
 * @param url a destination as it is stored ({@link toDestination})
 */
export const hasDestination = (
  table: ShortLinkTables['table'],
  url: string,
): [sql: string, bindings: string[]] => [
  `(md5(${table}.url) = md5(?) AND ${table}.url = ?)`,
  [url, url],
];

/** Converts a text to a destination as it would be stored; `undefined` if it is none. */
export function toDestination(text: string): string | undefined {
  try {
    return parseDestination(text);
  } catch (thrown) {
    if (!(thrown instanceof BadDestination)) throw thrown;
    return undefined;
  }
}
