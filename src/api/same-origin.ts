import type { Request } from 'express';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';

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
