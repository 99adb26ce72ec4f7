/** Maximum length of a redirect URI, in characters. */
export const MAX_URI_LENGTH = 2_000;

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Schemes of editors that lack the dot of RFC 8252, section 7.1. Cursor documents the redirect URI
 * `cursor://anysphere.cursor-mcp/oauth/callback`.
 */
const KNOWN_SCHEMES: ReadonlySet<string> = new Set(['cursor:']);

/**
 * Returns the rule that a redirect URI breaks, in the form "must …"; `undefined` for a valid one:
 * https, http on the loopback interface (RFC 8252, 7.3), or a private-use scheme with a dot (7.1).
 */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > MAX_URI_LENGTH) return `must not be longer than ${MAX_URI_LENGTH} characters`;
  // Browsers and parsers disagree about other characters.
  if (!/^[!-~]+$/.test(uri) || uri.includes('\\')) return 'must be a URL in ASCII';
  const url = URL.parse(uri);
  if (url === null) return 'must be an absolute URL';
  if (uri.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password';
  const { protocol, hostname } = url;
  const isAllowed =
    protocol === 'https:' ||
    (protocol === 'http:' && LOOPBACK.has(hostname)) ||
    protocol.includes('.') ||
    KNOWN_SCHEMES.has(protocol);
  return isAllowed
    ? undefined
    : 'must begin with https:, with http: on this computer (localhost, 127.0.0.1 or [::1]), or ' +
        'with a private-use scheme that has a dot, such as com.example.app:';
}

/**
 * Returns true if a client may be answered at a redirect URI: it is one of its own, or differs only
 * in the port of the loopback interface, which programs choose when they start (RFC 8252, 7.3).
 */
export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.some((own) => own === uri || isSameLoopback(uri, own));

function isSameLoopback(uri: string, own: string): boolean {
  // The requested one comes from a browser, and nothing else has checked it.
  if (redirectUriFault(uri) !== undefined) return false;
  const [a, b] = [new URL(uri), new URL(own)];
  return (
    a.protocol === 'http:' &&
    LOOPBACK.has(a.hostname) &&
    (['protocol', 'hostname', 'pathname', 'search'] as const).every((part) => a[part] === b[part])
  );
}

/** Adds the parameters of a response to a redirect URI, whose own parameters stay. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}
