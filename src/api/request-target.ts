import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors.ts';

/**
 * Reduces the target of a request to a path, because some clients send the whole address (RFC 9112,
 * 3.2.2).
 *
 * @throws Refusal `bad_request` for a request that two programs may read differently: without a
 * Host header, with two, or with a target on another host (RFC 9112, 3.2)
 */
export function settleTarget(request: IncomingMessage): void {
  const hosts = request.headersDistinct['host'] ?? [];
  if (hosts.length > 1) throw badRequest('The request must have one Host header only');
  if (hosts.length === 0 && request.httpVersion !== '1.0') {
    throw badRequest('The request must have a Host header');
  }
  const target = request.url ?? '/';
  const [origin, authority] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  if (origin === undefined || authority === undefined) return;
  if (hosts[0] !== undefined && authority.toLowerCase() !== hosts[0].toLowerCase()) {
    throw badRequest('The host of the request target must match the Host header');
  }
  const path = target.slice(origin.length);
  request.url = path.startsWith('/') ? path : `/${path}`;
}

const badRequest = (message: string) => new Refusal('bad_request', message);
