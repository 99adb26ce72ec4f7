import type { IncomingMessage } from 'node:http';
import { normalize } from '../infra/normalize.ts';
import { trimmedEnd, trimmedStart } from '../infra/trim.ts';
import { hasDotSegment } from '../infra/url.ts';
import type { Entries, KeyPrefix, RequestedKeys, TidiedPath } from '../lookup/entry.ts';
import { encodedKey, normalizeKey } from '../lookup/short-link.ts';
import type { Asks } from '../routing/facts.ts';
import { normalizeHost } from './visitor.ts';

/** The parts of a request target. */
export interface Address {
  asks: Asks;
  /** Empty for the root of the domain; `null` for a text that cannot be a key. */
  key: string | null;
  /** Raw query, without its question mark. */
  query: string;
  /** Token of a URL that continues past a page. */
  token?: string;
  /**
   * Rest of the path after the key of a flexible or wildcard link, as it was sent, with its leading
   * slash.
   */
  rest?: string;
  /** The link answers all paths below the key. */
  isWildcard?: true;
}

const FILE = '_/file/';
const STATS = '_/stats/';
const CONTINUE = '_/continue/';

/** Path of the form for reporting a link. */
export const REPORT_PATH = '/_/report';
/** Path of the form for reporting a link, filled in with a short link. */
export const reportPath = (shortLink: string): string =>
  `${REPORT_PATH}?${new URLSearchParams({ link: shortLink }).toString()}`;

/** Path of a link. */
export const keyPath = (key: string, query = '', rest = ''): string =>
  withQuery(`/${encodedKey(key)}${rest}`, query);
/** Path of the file of a link's page. */
export const filePath = (key: string): string => `/${FILE}${encodedKey(key)}`;
/** Path that continues past the page before a link's destination. */
export const continuePath = (token: string, { key, query, rest = '' }: Address): string =>
  withQuery(`/${CONTINUE}${token}/${encodedKey(key ?? '')}${rest}`, query);

/** Path of the request itself, to which a browser returns after it has sent a form. */
export function ownPath({ key, query, rest = '', asks }: Address): string {
  const plus = asks === 'preview' ? '+' : '';
  return rest === '' ? keyPath(`${key!}${plus}`, query) : keyPath(key!, query, `${rest}${plus}`);
}

/** Ends of the paths of Shlink. */
const SHLINK_ENDS: ReadonlyMap<string, Asks> = new Map([
  ['qr-code', 'qrCode'],
  ['track', 'track'],
]);

/** Reads a path of Shlink, which is that of a link with another segment. */
export function readShlinkPath({ asks, key, query }: Address): Address | undefined {
  const slash = key?.lastIndexOf('/') ?? -1;
  const end = SHLINK_ENDS.get(key?.slice(slash + 1) ?? '');
  if (asks !== 'link' || slash < 1 || end === undefined) return undefined;
  return { asks: end, key: key!.slice(0, slash), query };
}

const withQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`);

/**
 * Maximum number of segments of a flexible key. Each is one more name to look up for a path that
 * matches nothing.
 */
const MAX_SEGMENTS = 16;

/** Length of the longest possible key, in UTF-16 units: 190 characters of at most two units. */
const MAX_KEY_LENGTH = 380;
/**
 * Length of the longest key in a path: a UTF-16 unit has at most three bytes, each written as
 * `%XX`.
 */
const MAX_ENCODED_LENGTH = 9 * MAX_KEY_LENGTH;

/** Scheme and authority of a target in the absolute form. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

const SLASH = 0x2f;
const PERCENT = 0x25;
const QUESTION_MARK = 0x3f;
const NUMBER_SIGN = 0x23;
const UNDERSCORE = 0x5f;
const PLUS = 0x2b;

/**
 * Parses a request target into key and query; `undefined` if it is malformed. A trailing slash is
 * removed: no key ends with one, but people write `/summer/`.
 */
export function readAddress(target: string): Address | undefined {
  // Proxies are sent the absolute form (RFC 9112, 3.2.2).
  if (target.charCodeAt(0) !== SLASH) return readAbsolute(target);
  let end = target.length;
  let isPlain = true;
  for (let i = 1; i < end; i += 1) {
    const code = target.charCodeAt(i);
    if (code === QUESTION_MARK || code === NUMBER_SIGN) end = i;
    else if (code === PERCENT || code <= 0x20 || code >= 0x7f) isPlain = false;
  }
  const last = end > 1 && target.charCodeAt(end - 1) === SLASH ? end - 1 : end;
  const path = target.slice(1, last);
  // A path that is too long for a key stays encoded: Unicode composition takes quadratic time.
  const name = isPlain || path.length > MAX_ENCODED_LENGTH ? path : decode(path);
  if (name === undefined) return undefined;
  const query = end === target.length ? '' : readQuery(target, end);
  if (name.charCodeAt(0) === UNDERSCORE) return readOwn(name, query);
  // No key ends with a plus sign.
  if (name.charCodeAt(name.length - 1) === PLUS) {
    return asking('preview', name.slice(0, -1), query);
  }
  return { asks: 'link', key: canExist(name) ? name : null, query };
}

/** Parses a path under `_/`, where there are no links. */
function readOwn(name: string, query: string): Address {
  if (name.startsWith(FILE)) return asking('file', name.slice(FILE.length), query);
  if (name.startsWith(STATS)) return asking('stats', name.slice(STATS.length), query);
  if (name.startsWith(CONTINUE)) {
    const slash = name.indexOf('/', CONTINUE.length);
    const token = name.slice(CONTINUE.length, slash);
    if (slash > 0) return { ...asking('continue', name.slice(slash + 1), query), token };
  }
  return asking('link', name, query);
}

/**
 * Returns the prefixes of a path that may be the key of a flexible or wildcard link, longest first.
 * There are none if the rest of the path contains `..`, which would leave the destination's path.
 */
export function keyPrefixesOf({ asks }: Address, target: string): KeyPrefix[] {
  const path = percentEncoded(pathOf(target));
  const start = asks === 'continue' ? path.indexOf('/', CONTINUE.length + 1) + 1 : 1;
  if (asks === 'file' || asks === 'stats' || start === 0 || isReserved(path, start)) return [];
  // A trailing slash does not start another segment.
  const end = asks === 'preview' ? path.replace(/(\+|%2b)\/?$/i, '').length : path.length;
  const prefixes: KeyPrefix[] = [];
  let segments = 0;
  let slash = path.indexOf('/', start + 1);
  if (slash < 0 || hasDotSegment(path.slice(slash, end))) return [];
  while (slash >= 0 && slash < end - 1 && slash - start <= MAX_ENCODED_LENGTH) {
    const key = path.charCodeAt(slash - 1) === SLASH ? undefined : decode(path.slice(start, slash));
    if (key !== undefined && canExist(key)) {
      prefixes.unshift({ key, rest: path.slice(slash, end) });
    }
    segments += 1;
    if (segments === MAX_SEGMENTS) break;
    slash = path.indexOf('/', slash + 1);
  }
  return prefixes;
}

/**
 * Characters that sentences and chats add to the end of a link: punctuation, spaces and invisible
 * ones.
 */
const LEFTOVER = /[\s\u00ad\u200b\u200e\u200f\u2060\ufeff.,:;!?)\]}>'"’”»…。，、！？）/]/;
/** The beginning of a query that was joined to a path with the wrong character. */
const JOINED_QUERY = /%3f|(?:&|%26)(?=[\w.~-]+(?:=|%3d))/i;

/**
 * Reads a path without what is not part of the link in front of it: slashes before the key,
 * punctuation and spaces after it, and a query without its question mark. `undefined` if there is
 * no such thing, or what remains cannot be a key.
 */
export function tidiedPath({ asks, key, query }: Address, target: string): TidiedPath | undefined {
  const path = sentPath(target);
  if (asks !== 'link' || path.length > MAX_ENCODED_LENGTH || hasDotSegment(path)) return undefined;
  const [joint] = JOINED_QUERY.exec(path) ?? [];
  const at = joint === undefined ? path.length : path.indexOf(joint);
  const name = decode(path.slice(0, at));
  if (name === undefined) return undefined;
  const trimmed = trimmedStart(trimmedEnd(name, LEFTOVER), /\//);
  const tidied = isAscii(trimmed) ? trimmed : normalizeKey(trimmed);
  if (tidied === '' || tidied === key || !canExist(tidied)) return undefined;
  const joined = path
    .slice(at + (joint?.length ?? 0))
    .replaceAll(/%(?:26|3d)/gi, (escape) => decodeURIComponent(escape));
  return { key: tidied, query: [joined, query].filter((part) => part !== '').join('&') };
}

/**
 * Returns the keys that the path of a request can stand for. All but the exact one are read only
 * if no link has that.
 */
export const requestedKeys = (address: Address, target: string): RequestedKeys => ({
  key: address.key,
  // The path after a flexible key need not be a valid key.
  get prefixes() {
    return keyPrefixesOf(address, target);
  },
  get tidied() {
    return tidiedPath(address, target);
  },
});

/** True when a path that is no key can still lead to a link. */
export function canBeLink(address: Address, target: string): boolean {
  const { prefixes = [], tidied } = requestedKeys(address, target);
  return prefixes.length > 0 || tidied !== undefined;
}

/** Returns the address of the link that was found, which the request may spell in another way. */
export function addressOf(address: Address, { link, prefix, tidied }: Entries): Address {
  const key = link?.key;
  if (key === undefined && prefix === undefined && tidied === undefined) return address;
  const found = { ...address, ...prefix, ...tidied };
  if (key === undefined) return found;
  return { ...found, key: prefix?.isWildcard === true ? key.slice(0, -'/*'.length) : key };
}

/**
 * True when a request names its host twice or not at all, so that this server and a proxy before it
 * might read two different requests (RFC 9112, 3.2).
 */
export function isAmbiguous(
  { rawHeaders, httpVersionMinor, url = '/' }: IncomingMessage,
  host: string,
) {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersionMinor === 1)) return true;
  return url[0] !== '/' && normalizeHost(authorityOf(url)) !== host;
}

/**
 * Returns the percent-encoded path of a request that Node refused for raw UTF-8 in its path, as a
 * few clients send it, so that the client can be redirected there. `undefined` if something else is
 * wrong, and for `//host` and `/\host`, which browsers read as another host.
 */
export function encodedPath(packet: Buffer | undefined): string | undefined {
  const line = packet?.subarray(0, packet.indexOf('\r')).toString('latin1') ?? '';
  const path = /^(?:GET|HEAD) (\/(?![/\\])[!-~\x80-\xff]*) HTTP\/1\.[01]$/.exec(line)?.[1];
  return path === undefined || isAscii(path) ? undefined : percentEncoded(path);
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/**
 * Encodes the bytes that a URL cannot hold as they are. A character of the text stands for one
 * byte.
 */
const percentEncoded = (bytes: string): string =>
  bytes.replaceAll(
    /[^!-~]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/** Host and port of a target in the absolute form; empty for other forms. */
const authorityOf = (target: string): string =>
  ORIGIN.exec(target)?.[0].replace(/^https?:\/\//i, '') ?? '';

/** True when a path is below `_/` or `.well-known/`. */
function isReserved(path: string, start: number): boolean {
  const slash = path.indexOf('/', start);
  if (slash < 0 || slash - start > MAX_ENCODED_LENGTH) return false;
  const first = decode(path.slice(start, slash));
  return first === '_' || first === '.well-known';
}

/** Path of a request target as it was sent, without its leading slash. */
export const sentPath = (target: string): string => percentEncoded(pathOf(target)).slice(1);

/** Returns the path of a request target, without its query. */
function pathOf(target: string): string {
  const path = target.charCodeAt(0) === SLASH ? target : target.replace(ORIGIN, '');
  return path.slice(0, path.search(/[?#]|$/));
}

const asking = (asks: Asks, key: string, query: string): Address => ({
  asks,
  key: canExist(key) && (asks === 'link' || key !== '') ? key : null,
  query,
});

function readAbsolute(target: string): Address | undefined {
  const authority = ORIGIN.exec(target);
  if (authority === null) return undefined;
  const rest = target.slice(authority[0].length);
  return readAddress(rest.charCodeAt(0) === SLASH ? rest : `/${rest}`);
}

function readQuery(target: string, start: number): string {
  if (target.charCodeAt(start) === NUMBER_SIGN) return '';
  // Browsers do not send the fragment, but some crawlers do.
  const hash = target.indexOf('#', start);
  return target.slice(start + 1, hash < 0 ? target.length : hash);
}

function decode(path: string): string | undefined {
  try {
    // Node returns raw UTF-8 as one character per byte.
    const text = normalize(decodeURIComponent(Buffer.from(path, 'latin1').toString()), 'NFC');
    return text.endsWith('/') ? text.slice(0, -1) : text;
  } catch {
    return undefined;
  }
}

function canExist(key: string): boolean {
  if (key.length > MAX_KEY_LENGTH) return false;
  switch (key.charCodeAt(0)) {
    case UNDERSCORE:
      if (key === '_' || key.startsWith('_/')) return false;
      break;
    case 0x72: // r
      if (key === 'robots.txt') return false;
      break;
    case 0x66: // f
      if (key === 'favicon.ico') return false;
      break;
    case SLASH:
      return false;
    case 0x2e: // .
      if (key.startsWith('.well-known/')) return false;
      break;
    default:
  }
  return isPrintable(key);
}

function isPrintable(key: string): boolean {
  for (let i = 0; i < key.length; i += 1) {
    const code = key.charCodeAt(i);
    if (code <= 0x20 || code === 0x7f) return false;
  }
  return true;
}
