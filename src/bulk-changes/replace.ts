import { domainToASCII, domainToUnicode } from 'node:url';
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
 * Maximum length of a host that is converted, since mapping a name to ASCII takes time proportional
 * to the square of its length.
 */
const MAX_HOST_LENGTH = 2_048;

/**
 * Replaces every occurrence of a text in a destination. All other characters stay as they are: the
 * text is encoded before it becomes a part of the URL, which then needs no normalization.
 *
 * @param url as stored: ASCII, with a scheme
 * @returns the new destination; the same text if it does not occur
 * @throws BadDestination if the result is not a valid destination, or a part changes that was not
 *   to be changed
 */
export function replaceInUrl(url: string, replacement: Replacement): string {
  const part = replacement.in;
  const before = divided(url);
  const searched = isAscii(replacement.find) ? before : withReadableHost(before);
  if (part === 'url') {
    const text = joined(searched);
    const changed = replaceAll(text, replacement);
    return changed === text ? url : parseDestination(encodedUrl(changed.trim()));
  }
  const text = replaceAll(searched[part], replacement);
  if (text === searched[part]) return url;
  const changed = {
    ...before,
    [part]: part === 'host' ? encodedHost(before, text) : encoded(text),
  };
  if (changed.query === '') changed.mark = '';
  const next = joined(changed);
  if (!isEqual(divided(next), changed)) {
    throw new BadDestination(`must not change outside of its ${part}`);
  }
  parseDestination(next);
  return next;
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

/**
 * Inserts the replacement without encoding, except for ASCII characters that URLs do not have.
 *
 * @throws BadDestination before a result is built that is too long
 */
function replaceAll(text: string, { find, with: to, ignoreCase }: Replacement): string {
  const fold = ignoreCase ? inLowerCase : withUpperEscapes;
  const searched = fold(text);
  const forms = isAscii(find) ? [find] : [...new Set([encoded(find), readableForm(find)])];
  const soughts = forms.map(fold);
  const inserted = to.toWellFormed().replaceAll(/["<>\\^`{|}]/g, encodeURIComponent);
  const nextOf = soughts.map((sought) => searched.indexOf(sought));
  let result = '';
  let from = 0;
  for (;;) {
    for (const [n, sought] of soughts.entries()) {
      let at = nextOf[n]!;
      while (at !== -1 && (at < from || isInsideEscape(searched, at))) {
        at = searched.indexOf(sought, Math.max(from, at + 1));
      }
      nextOf[n] = at;
    }
    const found = nextOf.filter((at) => at !== -1);
    if (found.length === 0) return result + text.slice(from);
    const at = Math.min(...found);
    result += text.slice(from, at) + inserted;
    from = at + soughts[nextOf.indexOf(at)]!.length;
    if (result.length > MAX_LENGTH) {
      throw new BadDestination(`must not be longer than ${MAX_LENGTH} characters`);
    }
  }
}

/**
 * True for a position after the `%` of an encoded character, whose digits are no text of their own:
 * `20` does not occur in `a%20b`. A text that ends within such a character contains its `%`.
 */
const isInsideEscape = (text: string, at: number): boolean =>
  isEscape(text, at - 1) || isEscape(text, at - 2);

const isEscape = (text: string, at: number): boolean =>
  at >= 0 && text[at] === '%' && /^[\da-f]{2}$/i.test(text.slice(at + 1, at + 3));

const inLowerCase = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The case of the digits of encoded characters has no meaning. */
const withUpperEscapes = (text: string): string =>
  text.replaceAll(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase());

const isAscii = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);

/** Encodes a text as stored destinations have it; control characters stay, and are refused. */
const encoded = (text: string): string =>
  text.toWellFormed().replaceAll(/[ \u0080-\u{10ffff}]+/gu, encodeURIComponent);

/** Schemes whose hosts are domain names. */
const hasDomain = ({ start }: Parts): boolean => /^https?:\/\//i.test(start);

/** Decodes the international labels of a host, which are stored in Punycode. */
function withReadableHost(parts: Parts): Parts {
  if (!hasDomain(parts) || parts.host.length > MAX_HOST_LENGTH) return parts;
  const labels = parts.host.split('.').map((label) => {
    const readable = label.startsWith('xn--') ? domainToUnicode(label) : label;
    return domainToASCII(readable) === label ? readable : label;
  });
  return { ...parts, host: labels.join('.') };
}

/** The form of a text in a URL whose host is readable, if the text begins in the host. */
function readableForm(text: string): string {
  const [, host = '', rest = ''] = /^((?:[a-z]*:?\/\/)?[^/?#]*)(.*)$/is.exec(text) ?? [];
  return host.normalize('NFC').toLowerCase() + encoded(rest);
}

/** @throws BadDestination if a label is not valid */
function encodedHost(parts: Parts, host: string): string {
  if (!hasDomain(parts)) return encoded(host);
  if (host.length > MAX_HOST_LENGTH) throw new BadDestination('must be a valid URL');
  return host
    .split('.')
    .map((label) => {
      // Reserved characters end the host, which the caller finds.
      // oxlint-disable-next-line no-control-regex -- the parser of names would skip them
      if (isAscii(label) || /[\0-\x20/?#@:%]/.test(label)) return encoded(label);
      const ascii = domainToASCII(label);
      if (ascii === '') throw new BadDestination('must be a valid URL');
      return ascii;
    })
    .join('.');
}

/** Encodes a URL, unless it has lost its scheme: then it is parsed as one that a person types. */
function encodedUrl(url: string): string {
  const parts = divided(url);
  if (!hasDomain(parts)) return url;
  return encoded(joined({ ...parts, host: encodedHost(parts, parts.host) }));
}
