/** Maximum length of a host with user and port that is parsed, in UTF-16 units. */
const MAX_AUTHORITY_LENGTH = 2_048;
const AUTHORITY =
  // oxlint-disable-next-line no-control-regex -- parsers skip leading control characters
  /^[\0-\x20]*(?:(?:https?|wss?|ftp):[/\\]*|(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,})([^/\\?#]*)/i;

/**
 * Parses a URL (WHATWG URL). Returns `undefined` if the text is invalid, or its host is longer than
 * any host can be: mapping a name to ASCII takes time proportional to the square of its length.
 *
 * `URL.canParse` cannot be used: in Node 20, once V8 has compiled its caller, it calls every URL
 * with characters beyond ASCII invalid.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  const authority = AUTHORITY.exec(text.replaceAll(/[\t\n\r]/g, ''))?.[1] ?? '';
  if (authority.length > MAX_AUTHORITY_LENGTH) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Percent-decodes a text; one that is not well encoded stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Browsers read a backslash as a slash, and some servers decode both. */
const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)/i;

/** True for an encoded path with a segment `.` or `..`, which can leave the path before it. */
export const hasDotSegment = (path: string): boolean => DOT_SEGMENT.test(path);

/** Finds all texts in a value that are URLs, with the path to each, such as `links[0].url`. */
export function urlsIn(value: unknown, path = ''): [path: string, url: string][] {
  if (typeof value === 'string')
    return /^[a-z][a-z\d+.-]*:\S*$/i.test(value) ? [[path, value]] : [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => urlsIn(item, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    urlsIn(member, path === '' ? name : `${path}.${name}`),
  );
}
