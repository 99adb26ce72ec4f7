import { parseCookie, stringifySetCookie } from 'cookie';
import { isSigned, sign } from '../infra/secrets.ts';

/*
 * Members of a workspace can leave their own visits out of the counts of a browser. Browsers keep
 * cookies by domain, so this is a cookie of each short domain:
 *
 *   API        signs a URL of the domain, for ten minutes
 *   browser    opens it as a page of its own, since cookies in images and frames of other sites
 *              are blocked
 *   redirect   shows a button, which sets or clears the cookie
 *
 * Only members get such a URL, so nobody else can change what is counted. The cookie is signed for
 * the workspace, whose links alone it concerns.
 */

/** Path of the page with the button. */
export const OWN_VISITS_PATH = '/_/own-visits';

/** Validity of the URL, in ms. */
const VALID_MS = 600_000;
/** Lifetime of the cookie, in seconds: the longest that browsers accept (RFC 6265bis, 5.5). */
const COOKIE_SECONDS = 400 * 86_400;

/** Beginning of the name of the cookie; the id of the workspace follows. */
export const UNCOUNTED_COOKIE = 'uncounted_';

/** A workspace on one of its short domains. */
interface Place {
  projectId: string;
  /** Domain as stored. */
  domain: string;
}

const textOf = ({ projectId, domain }: Place, until: string): string =>
  `${projectId}\n${domain}\n${until}`;

/** Creates the query of the URL, which is valid from now on. @param now ms since 1970 */
export function ownVisitsQuery(place: Place, now: number): string {
  const until = (now + VALID_MS).toString(36);
  const token = `${place.projectId}.${until}.${sign('own-visits', textOf(place, until))}`;
  return new URLSearchParams({ token }).toString();
}

/** Verifies the query of a URL. @returns the id of its workspace */
export function workspaceOfQuery(query: string, domain: string, now: number): string | undefined {
  const token = new URLSearchParams(query).get('token') ?? '';
  const [projectId = '', until = '', signature = ''] = token.split('.');
  if (!isSigned('own-visits', textOf({ projectId, domain }, until), signature)) return undefined;
  return Number.parseInt(until, 36) > now ? projectId : undefined;
}

/** True when the browser's visits of a workspace's links are not counted. */
export function isUncounted(cookies: string | undefined, projectId: string): boolean {
  if (cookies?.includes(UNCOUNTED_COOKIE) !== true) return false;
  const value = parseCookie(cookies)[UNCOUNTED_COOKIE + projectId];
  return value !== undefined && isSigned('uncounted', projectId, value);
}

/** Creates the `Set-Cookie` header that turns counting off or on. */
export const countingCookie = (
  projectId: string,
  { isCounted, isSecure }: { isCounted: boolean; isSecure: boolean },
): string =>
  stringifySetCookie({
    name: UNCOUNTED_COOKIE + projectId,
    value: isCounted ? '' : sign('uncounted', projectId),
    maxAge: isCounted ? 0 : COOKIE_SECONDS,
    path: '/',
    sameSite: 'lax',
    secure: isSecure,
    httpOnly: true,
  });
