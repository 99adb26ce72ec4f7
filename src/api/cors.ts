import type { Request, RequestHandler, Response } from 'express';
import { config } from '../config.ts';
import type { Route } from '../http/route.ts';

/**
 * Response headers that programs in browsers may read, in addition to those that are always
 * allowed.
 */
const EXPOSED = [
  'Content-Disposition',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'X-Next-Cursor',
  'X-Request-Id',
].join(', ');

/** Request headers that such programs may send. */
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  'X-Api-Key',
  'X-Request-Id',
].join(', ');

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

/** Properties of a route that decide which pages may call it. */
type Addressed = Pick<Route, 'method' | 'scope'>;

/**
 * Returns true for endpoints that pages of any origin may call: they need no key, and set no
 * cookie.
 */
export const isOpen = ({ scope, method }: Addressed): boolean =>
  scope === 'public' && method === 'get';

/** Answers OPTIONS of a path: its methods, and whether a program in a browser may use them. */
export function answerOptions(routes: readonly Addressed[]): RequestHandler {
  const methods = ['OPTIONS', ...routes.map(({ method }) => method.toUpperCase())];
  if (methods.includes('GET')) methods.push('HEAD');
  const allow = methods.toSorted().join(', ');
  return (request, response) => {
    const requestedMethod = request.get('access-control-request-method')?.toLowerCase();
    const route = routes.find(({ method }) => method === requestedMethod);
    allowOrigin(request, response, route !== undefined && isOpen(route));
    response.set('Allow', allow);
    if (
      requestedMethod !== undefined &&
      response.get('Access-Control-Allow-Origin') !== undefined
    ) {
      response.vary('Access-Control-Request-Method');
      response.set({
        'Access-Control-Allow-Methods': allow,
        'Access-Control-Allow-Headers': ALLOWED,
        'Access-Control-Max-Age': MAX_AGE,
      });
    }
    response.status(204).end();
  };
}
