import { parseCookie, stringifySetCookie } from 'cookie';
import { config } from '../config.ts';

/** Time without a use after which a session expires, in seconds. */
export const SESSION_SECONDS = 30 * 86_400;

const isSecure = (): boolean => config().BASE_URL.startsWith('https:');

/** Browsers accept the prefix only over https, and then for this host alone (RFC 6265bis, 4.1.3.2). */
const nameOf = (name: string): string => (isSecure() ? `__Host-${name}` : name);

/** The value of a cookie of ours in a `Cookie` header. */
export const cookieIn = (cookies: string | undefined, name: string): string | undefined =>
  cookies === undefined ? undefined : parseCookie(cookies)[nameOf(name)];

const SESSION = 'session';
const TOKEN = /^[\w-]{43}$/;

/** The token of a session in a `Cookie` header; `undefined` without one. */
export function sessionTokenIn(cookies: string | undefined): string | undefined {
  const value = cookieIn(cookies, SESSION);
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}

/** The `Set-Cookie` header that stores a token in the browser, or renews it. */
export const sessionCookie = (token: string): string => setCookie(SESSION, token, SESSION_SECONDS);

/** The `Set-Cookie` header that removes it. */
export const clearedCookie = (): string => setCookie(SESSION, '', 0);

/**
 * The `Set-Cookie` header for a cookie that scripts cannot read.
 *
 * @param maxAge in seconds; 0 removes it
 */
export const setCookie = (name: string, value: string, maxAge: number): string =>
  stringifySetCookie({
    name: nameOf(name),
    value,
    maxAge,
    path: '/',
    // Sent along when a link to the console on another site is followed; all writes check where they come from.
    sameSite: 'lax',
    secure: isSecure(),
    httpOnly: true,
  });
