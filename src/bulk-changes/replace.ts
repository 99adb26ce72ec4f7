import { BadDestination, parseDestination } from '../short-links/url-field.ts';

/** Parts of a destination in which a text can be replaced; `url` is the whole one. */
export const REPLACED_PARTS = ['url', 'host', 'path', 'query'] as const;

/** A text to replace in destinations. */
export interface Replacement {
  find: string;
  with: string;
  in: (typeof REPLACED_PARTS)[number];
  ignoreCase: boolean;
}

/** Maximum length of a destination, which no replacement may exceed. */
const MAX_LENGTH = 32_768;

/**
 * Replaces every occurrence of a text in a destination.
 *
 * @param url as stored: ASCII, with a scheme
 * @returns the new destination; the same text if it does not occur
 * @throws BadDestination if the result is not a valid destination, or a part changes that was not
 *   to be changed
 */
export function replaceInUrl(url: string, replacement: Replacement): string {
  const part = replacement.in;
  if (part === 'url') {
    const changed = replaceAll(url, replacement);
    return changed === url ? url : parseDestination(changed);
  }
  const before = divided(url);
  const changed = { ...before, [part]: replaceAll(before[part], replacement) };
  if (changed[part] === before[part]) return url;
  if (changed.query === '') changed.mark = '';
  const next = joined(changed);
  if (!isEqual(divided(next), changed)) {
    throw new BadDestination(`must not change outside of its ${part}`);
  }
  return parseDestination(next);
}

/** The parts of a URL, which together are its text. */
interface Parts {
  /** Scheme, slashes and user name. */
  start: string;
  host: string;
  port: string;
  path: string;
  /** `?`, if the URL has a query. */
  mark: string;
  query: string;
  fragment: string;
}

function divided(url: string): Parts {
  const [beforeFragment, fragment] = cut(url, url.indexOf('#'));
  const [beforeQuery, marked] = cut(beforeFragment, beforeFragment.indexOf('?'));
  const [mark, query] = [marked.slice(0, 1), marked.slice(1)];
  const colon = beforeQuery.indexOf(':') + 1;
  const rest = beforeQuery.slice(colon);
  if (!rest.startsWith('//')) {
    const start = beforeQuery.slice(0, colon);
    return { start, host: '', port: '', path: rest, mark, query, fragment };
  }
  const [authority, path] = cut(rest, rest.indexOf('/', 2));
  const nameEnd = Math.max(2, authority.lastIndexOf('@') + 1);
  const start = beforeQuery.slice(0, colon) + authority.slice(0, nameEnd);
  const address = authority.slice(nameEnd);
  const [host, port] = cut(address, address.indexOf(':', Math.max(0, address.indexOf(']'))));
  return { start, host, port, path, mark, query, fragment };
}

const joined = ({ start, host, port, path, mark, query, fragment }: Parts): string =>
  start + host + port + path + mark + query + fragment;

const isEqual = (one: Parts, other: Parts): boolean =>
  Object.entries(one).every(([name, text]) => other[name as keyof Parts] === text);

/** Cuts a text in two; the second part is empty for a negative position. */
const cut = (text: string, at: number): [string, string] =>
  at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];

/** @throws BadDestination before a result is built that is too long */
function replaceAll(text: string, { find, with: to, ignoreCase }: Replacement): string {
  const sought = ignoreCase ? toStored(find).toLowerCase() : toStored(find);
  const searched = ignoreCase ? text.toLowerCase() : text;
  let result = '';
  let from = 0;
  for (;;) {
    const at = searched.indexOf(sought, from);
    if (at === -1) return result + text.slice(from);
    result += text.slice(from, at) + to;
    from = at + sought.length;
    if (result.length > MAX_LENGTH) {
      throw new BadDestination(`must not be longer than ${MAX_LENGTH} characters`);
    }
  }
}

/** Encodes a text as stored destinations have it, which are ASCII. */
const toStored = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
