import { Joi } from '../http/fields.ts';
import { hasTooManyParts, MAX_PARTS } from '../infra/hosts.ts';
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
/** Characters of a URL (RFC 3986, section 2), and the brackets of IPv6. */
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;

/** The rule that a text breaks, as the end of the sentence "url …". */
export class BadDestination extends Error {}

/**
 * Parses a text into a URL in ASCII that is safe in a header. A well-formed URL is returned byte
 * for byte; a missing scheme becomes `https://`.
 *
 * @throws BadDestination
 */
export function parseDestination(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new BadDestination('must not be empty');
  if (trimmed.length > MAX_LENGTH) {
    throw new BadDestination(`must not be longer than ${MAX_LENGTH} characters`);
  }
  const parts = trimmed.split(/\s+/);
  if (parts.length > 1 && parts.every((part) => /^https?:\/\//i.test(part))) {
    throw new BadDestination(`must be one URL, not ${parts.length}`);
  }
  // oxlint-disable-next-line no-control-regex -- the pattern must find control characters
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
    throw new BadDestination('must be a URL that begins with http:// or https://');
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
