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

/**
 * The host of an address and the domains above it: `a.b.test`, `b.test` and `test`; of an IP address itself alone. None of
 * an address without a host, such as `mailto:`.
 */
export function hostAndParents(url: string): string[] {
  if (!/^(?:https?:|[a-z][a-z0-9+.-]*:\/\/)/i.test(url)) return [];
  const host = parseUrl(url)?.hostname.replace(/\.$/, '').toLowerCase() ?? '';
  if (host === '') return [];
  if (host.startsWith('[')) return [host.slice(1, -1)];
  if (/^[\d.]+$/.test(host)) return [host];
  const labels = host.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
}

/** All web addresses among the texts in a value, with the path to each, such as `links[0].url`. */
export function webAddressesIn(value: unknown, path = ''): [path: string, url: string][] {
  if (typeof value === 'string') return /^https?:/i.test(value) ? [[path, value]] : [];
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => webAddressesIn(one, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    webAddressesIn(one, path === '' ? name : `${path}.${name}`),
  );
}
