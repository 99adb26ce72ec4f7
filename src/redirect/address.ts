/** What a request line asks for. */
export interface Address {
  asks: Asks;
  /** Empty for the root of the domain; `null` when no link can ever have it. */
  key: string | null;
  /** As it was sent, without its question mark. */
  query: string;
  /** The token of an address that leads on past a page. */
  token?: string;
}

/**
 * - `link`: the link itself
 * - `preview`: where it leads (`/key+`)
 * - `file`: the file of its page (`/_/file/key`)
 * - `continue`: its destination, past the page before it (`/_/continue/token/key`)
 * - `stats`: its public statistics (`/_/stats/key`)
 */
export type Asks = 'link' | 'preview' | 'file' | 'continue' | 'stats';

const FILE = '_/file/';
const STATS = '_/stats/';
const CONTINUE = '_/continue/';

/** Where a link itself is, as a path. */
export const keyPath = (key: string, query = ''): string => withQuery(`/${encodeURI(key)}`, query);
/** Where the file of a link's page is. */
export const filePath = (key: string): string => `/${FILE}${encodeURI(key)}`;
/** Where a link leads on past the page before its destination. */
export const continuePath = (token: string, key: string, query: string): string =>
  withQuery(`/${CONTINUE}${token}/${encodeURI(key)}`, query);

const withQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`);

/** Longest key that can exist, in UTF-16 units: 190 characters, each of at most two. */
const LONGEST_KEY = 380;

const SLASH = 0x2f;
const PERCENT = 0x25;
const QUESTION_MARK = 0x3f;
const NUMBER_SIGN = 0x23;
const UNDERSCORE = 0x5f;
const PLUS = 0x2b;

/**
 * Key and query of a request target; `undefined` when it is malformed.
 * A trailing slash is taken off: no key ends with one, but people write `/summer/`.
 */
export function readAddress(target: string): Address | undefined {
  // The absolute form (RFC 9112, 3.2.2) is what proxies are sent.
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
  const name = isPlain ? path : decode(path);
  if (name === undefined) return undefined;
  const query = end === target.length ? '' : readQuery(target, end);
  if (name.charCodeAt(0) === UNDERSCORE) return readOwn(name, query);
  // No key has a plus sign.
  if (name.charCodeAt(name.length - 1) === PLUS) {
    return asking('preview', name.slice(0, -1), query);
  }
  return { asks: 'link', key: canExist(name) ? name : null, query };
}

/** What is under `_/`, where no links are. */
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

const asking = (asks: Asks, key: string, query: string): Address => ({
  asks,
  key: canExist(key) && (asks === 'link' || key !== '') ? key : null,
  query,
});

function readAbsolute(target: string): Address | undefined {
  const authority = /^https?:\/\/[^/?#]*/i.exec(target);
  if (authority === null) return undefined;
  const rest = target.slice(authority[0].length);
  return readAddress(rest.charCodeAt(0) === SLASH ? rest : `/${rest}`);
}

function readQuery(target: string, start: number): string {
  if (target.charCodeAt(start) === NUMBER_SIGN) return '';
  // Browsers keep the fragment to themselves; some crawlers send it.
  const hash = target.indexOf('#', start);
  return target.slice(start + 1, hash < 0 ? target.length : hash);
}

function decode(path: string): string | undefined {
  try {
    // Node hands over one character per byte; a few clients send UTF-8 without encoding it.
    const text = decodeURIComponent(Buffer.from(path, 'latin1').toString()).normalize('NFC');
    return text.endsWith('/') ? text.slice(0, -1) : text;
  } catch {
    return undefined;
  }
}

function canExist(key: string): boolean {
  if (key.length > LONGEST_KEY) return false;
  switch (key.charCodeAt(0)) {
    case UNDERSCORE:
      return key !== '_' && !key.startsWith('_/');
    case 0x72: // r
      return key !== 'robots.txt';
    case 0x66: // f
      return key !== 'favicon.ico';
    case 0x2e: // .
      return !key.startsWith('.well-known/');
    default:
      return isPrintable(key);
  }
}

function isPrintable(key: string): boolean {
  for (let i = 0; i < key.length; i += 1) {
    const code = key.charCodeAt(i);
    if (code <= 0x20 || code === 0x7f) return false;
  }
  return true;
}
