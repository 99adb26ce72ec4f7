import { Joi } from '../http/fields.ts';
import { hasTooManyParts, MAX_PARTS } from '../infra/hosts.ts';
import { trimmed } from '../infra/trim.ts';
import { parseUrl } from '../infra/url.ts';
import { asTemplate, asUrl, hasFixedHost, hasUnknownName } from '../infra/url-template.ts';

/*
 * Schemas of URLs. The console validates the contents of QR codes with them too, so this file needs
 * no server.
 */

const MAX_LENGTH = 32_768;
/**
 * Schemes that run code, open files or settings of the machine, or wrap a web address. `sealed:` is
 * the prefix of this service's encrypted values.
 */
const REFUSED_SCHEME =
  /^(?:javascript|data|vbscript|file|blob|about|view-source|filesystem|jar|search|search-ms|ms-[^:]*|sealed):$/;
/** `example.com:8080/path` and `localhost:3000` are a host and a port, not a scheme. */
const HOST_AND_PORT = /^(?:localhost|[^/?#:@.]*\.[^/?#:@]*):\d/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/**
 * `intranet:8080/path` has the form of an app URL, but nearly always is a host and a port. Only a
 * scheme whose URLs consist of a phone number remains one.
 */
const NAME_AND_PORT = /^(?!(?:tel|sms|callto|fax):)[\w-]+:\d{1,5}(?=[/?#]|$)/i;
/** A scheme made of the letters of `http` and `https` alone, but not spelled like one of them. */
const MISSPELT_SCHEME = /^(?!https?$)(?=.*(?:h|tt))(?=.*p)[htps]{3,7}$/;
const WINDOWS_PATH = /^[a-z]:[\\/]/i;
/** White space, soft hyphens, and characters of width zero or that only set the direction of text. */
const INVISIBLE = /[\s\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/;
/** Characters of a URL (RFC 3986, section 2), and the brackets of IPv6. */
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;

const WEB_ONLY = 'must be a URL that begins with http:// or https://';

/** The rule that a text breaks, as the end of the sentence "url …". */
export class BadDestination extends Error {}

/**
 * Parses a text into a URL in ASCII that is safe in a header. A well-formed URL is returned byte
 * for byte; a missing scheme becomes `https://`. Invisible characters at either end, which people
 * copy from chats, are removed.
 *
 * @throws BadDestination
 */
export function parseDestination(text: string): string {
  const url = trimmed(text, INVISIBLE);
  if (url === '') throw new BadDestination('must not be empty');
  if (url.length > MAX_LENGTH) {
    throw new BadDestination(`must not be longer than ${MAX_LENGTH} characters`);
  }
  const parts = url.split(/\s+/);
  if (parts.length > 1 && parts.every((part) => /^https?:\/\//i.test(part))) {
    throw new BadDestination(`must be one URL, not ${parts.length}`);
  }
  // oxlint-disable-next-line no-control-regex -- the pattern must find control characters
  if (/[\u0000-\u001f\u007f]/.test(url)) {
    throw new BadDestination('must not contain control characters');
  }
  if (WINDOWS_PATH.test(url)) throw new BadDestination('must not be the path of a file');
  if (HOST_AND_PORT.test(url)) return checkedUrl(url, undefined);
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase();
  const [authority] = NAME_AND_PORT.exec(url) ?? [];
  if (authority !== undefined && !REFUSED_SCHEME.test(`${scheme}:`)) {
    throw new BadDestination(`${WEB_ONLY}: for a host with a port, write http://${authority}`);
  }
  return checkedUrl(url, scheme);
}

/** Checks a URL with its scheme, if it has one, and converts it to ASCII. */
function checkedUrl(given: string, scheme: string | undefined): string {
  const url = scheme === undefined ? `https://${given.replace(/^\/\//, '')}` : given;
  if (scheme !== undefined && MISSPELT_SCHEME.test(scheme)) {
    throw new BadDestination(`${WEB_ONLY}, not with ${scheme}:`);
  }
  const parsed = parseUrl(url);
  if (parsed === undefined) throw new BadDestination('must be a valid URL');
  if (REFUSED_SCHEME.test(parsed.protocol)) {
    throw new BadDestination(`must not use the scheme ${parsed.protocol}`);
  }
  if (parsed.protocol === 'http:' || parsed.protocol === 'https:') {
    checkWebAddress(url, parsed, scheme !== undefined);
  }
  const ascii = PLAIN.test(url) ? url : toAscii(parsed.href);
  if (hasTooManyParts(ascii)) {
    throw new BadDestination(`must not have more than ${MAX_PARTS} parts that can be hosts`);
  }
  return ascii;
}

/** @throws BadDestination if the host of a web address is missing or cannot be meant */
function checkWebAddress(url: string, { hostname }: URL, hasScheme: boolean): void {
  if (/^https?$/.test(hostname)) {
    throw new BadDestination('must not begin with http:// or https:// twice');
  }
  const isHost = hostname.includes('.') || hostname === 'localhost' || hostname.startsWith('[');
  if ((!hasScheme && !isHost) || !/^https?:\/\/[^/]/i.test(url)) {
    throw new BadDestination('must be a valid URL');
  }
}

/** Encodes characters that `href` leaves alone in the paths of app schemes. */
function toAscii(href: string): string {
  return href.replaceAll(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

/**
 * Like {@link parseDestination}, for URLs that a browser loads or is redirected from: web addresses
 * only.
 */
function parseWebAddress(text: string): string {
  const url = parseDestination(text);
  if (!/^https?:/i.test(url)) {
    throw new BadDestination(WEB_ONLY);
  }
  return url;
}

/** Like {@link parseDestination}, for a URL with placeholders of the requested one. */
function parseTemplate(text: string): string {
  if (hasUnknownName(text)) {
    throw new BadDestination('must have no other placeholders than {path} and {query}');
  }
  const template = asTemplate(parseDestination(asUrl(text)));
  if (hasFixedHost(template)) return template;
  throw new BadDestination(
    'must have placeholders only in the path, query or fragment of an http or https URL',
  );
}

const urlField = (parse: (text: string) => string) => () =>
  Joi.string().custom((value: string, { error }) => {
    try {
      return parse(value);
    } catch (thrown) {
      if (!(thrown instanceof BadDestination)) throw thrown;
      return error('rule', { rule: thrown.message });
    }
  });

/** Schema of a destination URL, including app URLs; the parsed value is stored. */
export const destination = urlField(parseDestination);

/** Schema of the address of a page, image or video: http or https. */
export const webAddress = urlField(parseWebAddress);

/** Schema of a destination URL that can have the placeholders `{path}` and `{query}`. */
export const destinationTemplate = urlField(parseTemplate);
