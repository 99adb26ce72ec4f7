import { parseCookie, stringifySetCookie } from 'cookie';
import { config } from '../config.ts';

/** Time without a use after which a session expires, in seconds. */
export const SESSION_SECONDS = 30 * 86_400;

const isSecure = (): boolean => config().BASE_URL.startsWith('https:');

/**
 * Browsers accept the prefix only over https, and only for the exact host (RFC 6265bis, 4.1.3.2).
 */
const nameOf = (name: string): string => (isSecure() ? `__Host-${name}` : name);

/** Reads one of the service's cookies from a `Cookie` header. */
export const cookieIn = (cookies: string | undefined, name: string): string | undefined =>
  cookies === undefined ? undefined : parseCookie(cookies)[nameOf(name)];

const SESSION = 'session';
const TOKEN = /^[\w-]{43}$/;

/** Reads the token of a session from a `Cookie` header; `undefined` if there is none. */
export function sessionTokenIn(cookies: string | undefined): string | undefined {
  const value = cookieIn(cookies, SESSION);
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}

/** The `Set-Cookie` header that stores or renews a token in the browser. */
export const sessionCookie = (token: string): string => setCookie(SESSION, token, SESSION_SECONDS);

/** The `Set-Cookie` header that deletes the token. */
export const clearedCookie = (): string => setCookie(SESSION, '', 0);

/**
 * The `Set-Cookie` header of a cookie that scripts cannot read.
 *
 * @param maxAge in seconds; 0 deletes the cookie
 */
export const setCookie = (name: string, value: string, maxAge: number): string =>
  stringifySetCookie({
    name: nameOf(name),
    value,
    maxAge,
    path: '/',
    // Browsers send the cookie when a link on another site leads to the console; all writes check
    // their origin.
    sameSite: 'lax',
    secure: isSecure(),
    httpOnly: true,
  });
