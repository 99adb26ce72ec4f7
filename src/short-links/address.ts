import { toHostName } from '../http/domain-name.ts';
import { trimmed } from '../infra/trim.ts';
import { percentDecoded } from '../infra/url.ts';
import { normalizeKey } from '../lookup/short-link.ts';

const SLASH = /\//;

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
export const toKey = (path: string): string => normalizeKey(percentDecoded(trimmed(path, SLASH)));
