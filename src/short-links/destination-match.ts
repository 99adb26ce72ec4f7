import type { ShortLinkTables } from './model.ts';

/**
 * Builds SQL that is true for records with exactly this destination. The index has its hash, since
 * a destination can be longer than an index allows.
 *
 * @param url a destination as it is stored
 */
export const hasDestination = (
  table: ShortLinkTables['table'],
  url: string,
): [sql: string, bindings: string[]] => [
  `(md5(${table}.url) = md5(?) AND ${table}.url = ?)`,
  [url, url],
];
