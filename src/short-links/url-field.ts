import { Joi } from '../http/fields.ts';
import { hasTooManyParts, MAX_PARTS } from '../infra/hosts.ts';
import { parseUrl } from '../infra/url.ts';

/*
 * URLs as fields. The console checks the contents of QR codes with them too: nothing here needs a server.
 */

const MAX_LENGTH = 32_768;
/**
 * Schemes that run code, open files or settings of the machine, or hide a web address in another one. `sealed:` is the prefix of
 * encrypted values of this service.
 */
const REFUSED_SCHEME =
  /^(?:javascript|data|vbscript|file|blob|about|view-source|filesystem|jar|search|search-ms|ms-[^:]*|sealed):$/;
/** `example.com:8080/path` and `localhost:3000`: a host and a port, not a scheme. */
const HOST_AND_PORT = /^(?:localhost|[^/?#:@.]*\.[^/?#:@]*):\d/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/** Characters of a URL (RFC 3986, section 2), besides the brackets of IPv6. */
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;

/** The rule that a text breaks; completes the sentence "url …". */
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
  const parts = trimmed.split(/\s+/);
  if (parts.length > 1 && parts.every((part) => /^https?:\/\//i.test(part))) {
    throw new BadDestination(`must be one URL, not ${parts.length}`);
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(trimmed)) {
    throw new BadDestination('must not contain control characters');
  }
  const scheme = HOST_AND_PORT.test(trimmed) ? undefined : SCHEME.exec(trimmed)?.[1]?.toLowerCase();
  const url = scheme === undefined ? `https://${trimmed.replace(/^\/\//, '')}` : trimmed;
  const parsed = parseUrl(url);
  if (parsed === undefined) throw new BadDestination('must be a valid URL');
  if (REFUSED_SCHEME.test(parsed.protocol)) {
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
  const ascii = PLAIN.test(url) ? url : toAscii(parsed.href);
  if (hasTooManyParts(ascii)) {
    throw new BadDestination(`must not have more than ${MAX_PARTS} parts that can be hosts`);
  }
  return ascii;
}

/** `href` leaves some characters of app schemes' paths as they are. */
function toAscii(href: string): string {
  return href.replaceAll(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

/** As {@link parseDestination}, for what a browser loads or is sent on from: web addresses only. */
function parseWebAddress(given: string): string {
  const url = parseDestination(given);
  if (!/^https?:/i.test(url)) {
    throw new BadDestination('must be a URL that begins with http:// or https://');
  }
  return url;
}

const urlField = (parse: (given: string) => string) => () =>
  Joi.string().custom((value: string, { error }) => {
    try {
      return parse(value);
    } catch (thrown) {
      if (!(thrown instanceof BadDestination)) throw thrown;
      return error('rule', { rule: thrown.message });
    }
  });

/** A destination URL as a field, also of an app; the checked value is what is stored. */
export const destination = urlField(parseDestination);

/** The address of a page, picture or film as a field: http or https. */
export const webAddress = urlField(parseWebAddress);
