import { isUtf8 } from 'node:buffer';
import { parseUrl } from '../infra/url.ts';

/** Characters by which a URL can have a user name, a fragment, or bytes beyond ASCII. */
const UNUSUAL = /[#@\x80-\xff]/;

/**
 * Reads a `Referer` header, which Node delivers with one character per byte. Raw UTF-8 is decoded;
 * the rest is as in {@link withoutSecrets}.
 */
export function refererOf(header: string): string {
  if (!UNUSUAL.test(header)) return header;
  const bytes = Buffer.from(header, 'latin1');
  return withoutSecrets(isUtf8(bytes) ? bytes.toString() : header);
}

/**
 * Removes user name, password and fragment from a URL, as browsers do before they send a referrer
 * (Referrer Policy, 8.4). A text in which a user name cannot be told from the rest is dropped.
 */
export function withoutSecrets(referrer: string): string {
  const [text = ''] = referrer.split('#', 1);
  if (!text.includes('@')) return text;
  const url = parseUrl(text);
  if (url === undefined || url.host === '') return '';
  if (url.username === '' && url.password === '') return text;
  url.username = '';
  url.password = '';
  return url.href;
}
