import { setTimeout as pause } from 'node:timers/promises';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { type Fetched, guardedFetch } from '../infra/guarded-fetch.ts';
import { parseUrl } from '../infra/url.ts';
import type { DestinationState } from './destination-state.ts';

/** The answer of a destination to a check. */
export interface DestinationAnswer {
  state: Exclude<DestinationState, 'broken'>;
  status: number | null;
  error: string | null;
  leadsTo: string | null;
  /** Pause that the host asked for, in seconds, at least {@link REST_SECONDS}. */
  restSeconds?: number | undefined;
}

/** Minimum time between two requests to one host, in ms. */
const HOST_INTERVAL_MS = 1_000;
const TIMEOUT_MS = 8_000;
const MAX_REDIRECTS = 5;
/**
 * Minimum and maximum pause after a 429 or 503, in seconds. A host asks for more than the minimum
 * with `Retry-After`.
 */
const REST_SECONDS = 3_600;
const LONGEST_REST_SECONDS = 86_400;

/**
 * Statuses of hosts that refuse programs or people who are not signed in; visitors may well see the
 * page.
 */
const UNCLEAR_STATUSES = new Set([401, 403, 405, 406, 407, 429, 451, 999]);
const RESTING_STATUSES = new Set([429, 503]);
/** Refusals by this service rather than by the destination. */
const UNCLEAR_RULES = new Set<string>([
  FETCH_RULES.address,
  FETCH_RULES.port,
  FETCH_RULES.credentials,
  FETCH_RULES.resolvableHost,
]);
/** Refusals that a second request would meet too. */
const FINAL_RULES = new Set<string>([
  ...UNCLEAR_RULES,
  FETCH_RULES.url,
  FETCH_RULES.scheme,
  FETCH_RULES.knownHost,
  FETCH_RULES.certificate,
]);

/** Requests destinations, each host at most once a second. */
export class DestinationProber {
  /** Earliest time of the next request to a host, in ms since 1970. */
  readonly #free = new Map<string, number>();

  /**
   * Requests a destination and the targets of its redirects, without their bodies: with HEAD, and
   * with GET if that fails.
   */
  async probe(url: string): Promise<DestinationAnswer> {
    let at = url;
    try {
      for (let redirects = 0; ; redirects += 1) {
        const { status, headers } = await this.#headers(at);
        const location = headers['location'];
        if (status < 300 || status >= 400 || status === 304 || location === undefined) {
          return answerOf(url, at, status, headers);
        }
        if (redirects === MAX_REDIRECTS)
          throw new FetchRefused(FETCH_RULES.redirects(MAX_REDIRECTS));
        const next = parseUrl(location, new URL(at));
        if (next === undefined) throw new FetchRefused(FETCH_RULES.redirectUrl);
        at = next.href;
      }
    } catch (error) {
      if (!(error instanceof FetchRefused)) throw error;
      const { message } = error;
      const state = UNCLEAR_RULES.has(message) ? 'unclear' : 'failing';
      return { state, status: null, error: message, leadsTo: elsewhere(url, at) };
    }
  }

  async #headers(url: string): Promise<Fetched> {
    try {
      const head = await this.#request(url, 'HEAD');
      // Servers without support for HEAD answer it with all kinds of statuses.
      if (head.status < 400 || RESTING_STATUSES.has(head.status)) return head;
    } catch (error) {
      if (!(error instanceof FetchRefused) || FINAL_RULES.has(error.message)) throw error;
    }
    return this.#request(url, 'GET');
  }

  async #request(url: string, method: 'HEAD' | 'GET'): Promise<Fetched> {
    await this.#turn(parseUrl(url)?.hostname ?? '');
    return guardedFetch(url, {
      method,
      headersOnly: true,
      maxBytes: 0,
      maxRedirects: 0,
      timeoutMs: TIMEOUT_MS,
    });
  }

  async #turn(host: string): Promise<void> {
    const now = Date.now();
    for (const [other, free] of this.#free) {
      if (free > now) break;
      this.#free.delete(other);
    }
    const at = Math.max(now, this.#free.get(host) ?? 0);
    // Reinserted at the end, so that the map stays sorted by time.
    this.#free.delete(host);
    this.#free.set(host, at + HOST_INTERVAL_MS);
    if (at > now) await pause(at - now);
  }
}

function answerOf(
  url: string,
  at: string,
  status: number,
  headers: Record<string, string>,
): DestinationAnswer {
  const leadsTo = elsewhere(url, at);
  if (status < 400) {
    const isElsewhere = leadsTo !== null && hostOf(url) !== hostOf(leadsTo);
    return { state: isElsewhere ? 'redirecting' : 'ok', status, error: null, leadsTo };
  }
  const requestedSeconds = Number(headers['retry-after'] ?? 0) || 0;
  return {
    state: UNCLEAR_STATUSES.has(status) ? 'unclear' : 'failing',
    status,
    error: FETCH_RULES.status('2xx', status),
    leadsTo,
    restSeconds: RESTING_STATUSES.has(status)
      ? Math.min(Math.max(requestedSeconds, REST_SECONDS), LONGEST_REST_SECONDS)
      : undefined,
  };
}

const elsewhere = (url: string, at: string): string | null => (at === url ? null : at);

/** Host of a site; `www.` does not make another site. */
const hostOf = (url: string): string => (parseUrl(url)?.hostname ?? '').replace(/^www\./, '');
