import { toHostName } from '../http/domain-name.ts';
import { normalizeKey } from '../lookup/key-spelling.ts';

/** The host and the key of a short link. */
export interface Address {
  host: string;
  key: string;
}

/**
 * Parses a text that may be a pasted short link, with or without a scheme, a port, a slash at the
 * end or a query string.
 *
 * @returns `undefined` if it begins with no host name; the key may be empty
 */
export function toAddress(text: string): Address | undefined {
  const [, authority = '', path = ''] = /^(?:https?:\/\/)?([^/?#]*)([^?#]*)/i.exec(text.trim())!;
  const host = toHostName(authority.replace(/:\d+$/, ''));
  return host === undefined ? undefined : { host, key: toKey(path) };
}

/** Reads the key from the path of a short link; slashes at its ends are ignored. */
export function toKey(path: string): string {
  const bare = withoutEndSlashes(path.replace(/^\/+/, ''));
  try {
    return normalizeKey(decodeURIComponent(bare));
  } catch {
    return normalizeKey(bare);
  }
}

/**
 * Removes slashes at the end. A loop, since a regular expression takes quadratic time on a long run
 * of slashes.
 */
export function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
