import { parseCookie, stringifySetCookie } from 'cookie';

/** The value of a cookie of a request; `undefined` where it has none of this name. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  return header === undefined ? undefined : parseCookie(header)[name];
}

/** How a cookie is set. */
export interface NewCookie {
  name: string;
  value: string;
  maxAgeSeconds: number;
  /** The request came over https. */
  isSecure: boolean;
  /** Scripts of pages under the domain may read it. */
  isReadable?: boolean;
}

/** A `Set-Cookie` header for the domain that was asked and no other. It comes along when a link is followed. */
export function setCookie({
  name,
  value,
  maxAgeSeconds,
  isSecure,
  isReadable = false,
}: NewCookie): string {
  return stringifySetCookie({
    name,
    value,
    maxAge: maxAgeSeconds,
    path: '/',
    sameSite: 'lax',
    secure: isSecure,
    httpOnly: !isReadable,
  });
}
