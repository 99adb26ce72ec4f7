import { Refusal } from '../errors.ts';
import { Joi } from '../infra/fields.ts';
import { parseUrl } from '../infra/url.ts';

const MAX_LENGTH = 32_768;
const REFUSED_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:']);
/** `example.com:8080/path` and `localhost:3000`: a host and a port, not a scheme. */
const HOST_AND_PORT = /^(localhost|[^/?#:@]*\.[^/?#:@]*):\d/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/** What a URL may consist of (RFC 3986, section 2), besides the brackets of IPv6. */
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;

/** Why a text is no destination; completes the sentence "url …". */
export class BadDestination extends Error {}

/**
 * The URL that a text stands for, in ASCII and safe in a header. A URL that is well-formed stays as it was
 * sent, byte for byte; a missing scheme is completed with `https://`.
 *
 * @throws BadDestination
 */
export function parseDestination(given: string): string {
  const trimmed = given.trim();
  if (trimmed === '') throw new BadDestination('must not be empty');
  if (trimmed.length > MAX_LENGTH) {
    throw new BadDestination(`must not be longer than ${MAX_LENGTH} characters`);
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(trimmed)) {
    throw new BadDestination('must not contain control characters');
  }
  const scheme = HOST_AND_PORT.test(trimmed) ? undefined : SCHEME.exec(trimmed)?.[1]?.toLowerCase();
  const url = scheme === undefined ? `https://${trimmed.replace(/^\/\//, '')}` : trimmed;
  const parsed = parseUrl(url);
  if (parsed === undefined) throw new BadDestination('must be a valid URL');
  if (REFUSED_SCHEMES.has(parsed.protocol)) {
    throw new BadDestination(`must not use the scheme ${parsed.protocol}`);
  }
  if (parsed.protocol === 'http:' || parsed.protocol === 'https:') {
    if (
      scheme === undefined &&
      !parsed.hostname.includes('.') &&
      parsed.hostname !== 'localhost' &&
      !parsed.hostname.startsWith('[')
    ) {
      throw new BadDestination('must be a valid URL');
    }
    if (!/^https?:\/\/[^/]/i.test(url)) throw new BadDestination('must be a valid URL');
  }
  return PLAIN.test(url) ? url : toAscii(parsed.href);
}

/** `href` leaves some characters of app schemes' paths as they are. */
function toAscii(href: string): string {
  return href.replaceAll(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

/** A destination URL as a field; the checked value is what is stored. */
export const destination = () =>
  Joi.string().custom((value: string, { error }) => {
    try {
      return parseDestination(value);
    } catch (thrown) {
      if (!(thrown instanceof BadDestination)) throw thrown;
      return error('rule', { rule: thrown.message });
    }
  });

/**
 * A link or QR code must not lead to itself.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function refuseLoop(destination: string, domain: string, key: string): void {
  if (!/^https?:/i.test(destination)) return;
  const { hostname, pathname } = new URL(destination);
  if (hostname !== domain) return;
  let path = pathname.slice(1);
  try {
    path = decodeURIComponent(path).normalize('NFC');
  } catch {
    // A path that can't be decoded is no key.
  }
  if (path.replace(/\/$/, '') === key) {
    throw new Refusal('unprocessable_entity', 'url must not be the short link itself');
  }
}

export const UTM_FIELDS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const;
export type UtmField = (typeof UTM_FIELDS)[number];
export type Utm = Record<UtmField, string | null>;

/** The UTM fields in a destination's query. */
export function readUtm(url: string): Utm {
  const utm = Object.fromEntries(UTM_FIELDS.map((name) => [name, null])) as Utm;
  if (!/[?&]utm_/.test(url)) return utm;
  const { searchParams } = new URL(url);
  for (const name of UTM_FIELDS) utm[name] = searchParams.get(name);
  return utm;
}

/**
 * Writes UTM fields into a destination's query: a text sets one, `null` takes it out, an absent one stays.
 * Everything else of the URL stays byte for byte.
 */
export function writeUtm(url: string, utm: Partial<Utm>): string {
  const given = UTM_FIELDS.filter((name) => utm[name] !== undefined);
  if (given.length === 0 || !/^https?:/i.test(url)) return url;
  const hash = url.indexOf('#');
  const fragment = hash < 0 ? '' : url.slice(hash);
  const beforeHash = hash < 0 ? url : url.slice(0, hash);
  const mark = beforeHash.indexOf('?');
  const base = mark < 0 ? beforeHash : beforeHash.slice(0, mark);
  const pairs =
    mark < 0
      ? []
      : beforeHash
          .slice(mark + 1)
          .split('&')
          .filter((pair) => pair !== '');
  const kept = pairs.filter((pair) => !given.includes(pair.split('=')[0] as UtmField));
  const added = given.flatMap((name) => {
    const value = utm[name];
    return typeof value === 'string' ? [`${name}=${encodeURIComponent(value)}`] : [];
  });
  const query = [...kept, ...added].join('&');
  return base + (query === '' ? '' : `?${query}`) + fragment;
}
