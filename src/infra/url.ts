/** Longest name of a server, with user and port, that is looked at, in UTF-16 units. */
const LONGEST_AUTHORITY = 2_048;
const AUTHORITY =
  // oxlint-disable-next-line no-control-regex -- URLs are read without control characters before them
  /^[\0-\x20]*(?:(?:https?|wss?|ftp):[/\\]*|(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,})([^/\\?#]*)/i;

/**
 * The URL that a text is (WHATWG URL); `undefined` when it is none, or its host is longer than any can be: to map a
 * name to ASCII takes time in proportion to the square of its length.
 *
 * Not `URL.canParse`: once V8 has compiled its caller, that of Node 20 calls every URL with characters beyond ASCII
 * invalid.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  const authority = AUTHORITY.exec(text.replaceAll(/[\t\n\r]/g, ''))?.[1] ?? '';
  if (authority.length > LONGEST_AUTHORITY) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** All texts in a value that are URLs, with the path to each, such as `links[0].url`. */
export function urlsIn(value: unknown, path = ''): [path: string, url: string][] {
  if (typeof value === 'string')
    return /^[a-z][a-z\d+.-]*:\S*$/i.test(value) ? [[path, value]] : [];
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => urlsIn(one, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    urlsIn(one, path === '' ? name : `${path}.${name}`),
  );
}
