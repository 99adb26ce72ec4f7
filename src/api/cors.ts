import type { Express, Request, RequestHandler, Response } from 'express';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { Route } from '../http/route.ts';

/**
 * Response headers that programs in browsers may read, in addition to those that are always
 * allowed.
 */
const EXPOSED =
  'Content-Disposition, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Limit, ' +
  'RateLimit-Policy, RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, ' +
  'X-Next-Cursor, X-Request-Id';

/** Request headers that such programs may send. */
const ALLOWED =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, ' +
  'MCP-Protocol-Version, Prefer, X-Api-Key, X-Request-Id';

/** Request headers that pages of all origins may send to endpoints for pages, which need a key. */
const ALLOWED_TO_PAGES = 'Content-Type, Authorization';

/** Time for which browsers cache a preflight response, in seconds. */
const MAX_AGE = '7200';

/**
 * Allows programs in browsers to read an answer: from any origin if the endpoint needs no key, from
 * CORS_ORIGINS in all cases.
 */
export function allowOrigin(request: Request, response: Response, isPublic: boolean): void {
  const origins = config().CORS_ORIGINS;
  const origin = request.get('origin');
  if (isPublic) {
    response.set('Access-Control-Allow-Origin', '*');
  } else {
    if (origins.length > 0) response.vary('Origin');
    if (origin === undefined || !origins.includes(origin)) return;
    response.set('Access-Control-Allow-Origin', origin);
  }
  response.set('Access-Control-Expose-Headers', EXPOSED);
}

/** Allows the pages of one origin to read an answer. */
export function allowPage(response: Response, origin: string): void {
  response.vary('Origin');
  response.set({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED,
  });
}

/** Properties of a route that decide which pages may call it. */
type Addressed = Pick<Route, 'method' | 'scope'> & {
  /**
   * True for an endpoint that pages may call with their key, which decides about the origin. A
   * preflight request contains no key.
   */
  isForPages?: boolean | undefined;
};

/**
 * Returns true for endpoints that pages of any origin may call: they need no key, and set no
 * cookie.
 */
export const isOpen = ({ scope, method }: Addressed): boolean =>
  scope === 'public' && method === 'get';

/** Converts a path of the contract to an Express pattern. */
export const patternOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Answers OPTIONS for the paths of endpoints. */
export function serveOptions(
  app: Express,
  endpoints: readonly (Addressed & Pick<Route, 'path'>)[],
): void {
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    const samePath = endpoints.filter((endpoint) => endpoint.path === path);
    app.options(patternOf(path), answerOptions(samePath));
  }
}

/** Answers OPTIONS of a path: its methods, and whether a program in a browser may use them. */
function answerOptions(routes: readonly Addressed[]): RequestHandler {
  const methods = ['OPTIONS', ...namesOf(routes)];
  if (methods.includes('GET')) methods.push('HEAD');
  const allow = methods.toSorted().join(', ');
  const forPages = routes.filter(({ isForPages }) => isForPages === true);
  return (request, response) => {
    response.set('Allow', allow).status(204);
    if (forPages.length > 0 && !isAllowed(response)) {
      allowOrigin(request, response, true);
      permit(response, [...namesOf(forPages), 'OPTIONS'].join(', '), ALLOWED_TO_PAGES);
    } else {
      const requestedMethod = request.get('access-control-request-method')?.toLowerCase();
      const route = routes.find(({ method }) => method === requestedMethod);
      allowOrigin(request, response, route !== undefined && isOpen(route));
      if (requestedMethod !== undefined && isAllowed(response)) {
        response.vary('Access-Control-Request-Method');
        permit(response, allow, ALLOWED);
      }
    }
    response.end();
  };
}

const namesOf = (routes: readonly Addressed[]): string[] =>
  routes.map(({ method }) => method.toUpperCase());

/** True once the origin of the request may read the answer. */
const isAllowed = (response: Response): boolean =>
  response.get('Access-Control-Allow-Origin') !== undefined;

/** Lets programs in browsers send requests with these methods and headers. */
function permit(response: Response, methods: string, headers: string): void {
  response.set({
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': headers,
    'Access-Control-Max-Age': MAX_AGE,
  });
}

/**
 * Refuses requests that a page of another site makes a browser send along with its cookies
 * (cross-site request forgery). Browsers send the origin of a request in `Sec-Fetch-Site`, or at
 * least in `Origin`; no script can set either.
 *
 * @throws Refusal `forbidden`
 */
export function refuseOtherOrigins(request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const site = request.get('sec-fetch-site');
  const isOwn =
    site === undefined
      ? request.get('origin') === new URL(config().BASE_URL).origin
      : site === 'same-origin';
  if (isOwn) return;
  throw new Refusal(
    'forbidden',
    'Requests with a session must come from the console: they need Sec-Fetch-Site: same-origin, or the Origin of this service',
  );
}
