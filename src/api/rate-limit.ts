import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { memoize } from '../infra/memoize.ts';
import type { Redis } from '../infra/redis.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { REQUESTS_PER_MINUTE } from '../workspaces/plans.ts';

const WINDOW_SECONDS = 60;
/** Registrations of OAuth clients per minute and network. */
const REGISTRATIONS_PER_MINUTE = 10;

/** A limit, by the name that the headers `RateLimit` and `RateLimit-Policy` give it. */
interface Policy {
  name: 'api' | 'track' | 'page' | 'user' | 'public' | 'image' | 'fetch' | 'register';
  perMinute: number;
  /** Who has the limit. */
  partition: string;
  /** Subject of the message to a client that exceeds it. */
  subject: string;
}

/** Headers for the answer, and the refusal if the request is over the limit. */
export interface RateLimitVerdict {
  headers: Record<string, string>;
  refusal?: Refusal;
  /** Used share of the limit in percent, if it is high. */
  percent?: 80 | 100;
}

/** Returns the number of requests per minute that a workspace may send; 0 for no limit. */
export const requestLimitOf = ({ requestsPerMinute, plan }: Caller): number =>
  requestsPerMinute ?? REQUESTS_PER_MINUTE[plan];

/**
 * Counts requests of a workspace by minute in Redis, for all API processes together. While Redis is
 * unavailable, each process counts separately.
 */
export class RateLimit {
  readonly #redis: Redis;
  readonly #limiter = memoize(
    (points: number) =>
      new RateLimiterRedis({
        storeClient: this.#redis,
        keyPrefix: 'rl',
        points,
        duration: WINDOW_SECONDS,
        insuranceLimiter: new RateLimiterMemory({ points, duration: WINDOW_SECONDS }),
      }),
    new Map(),
  );

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /**
   * Counts one request against a limit of the caller's workspace. Pages have their own, so that
   * visitors cannot use up that of the workspace's software.
   */
  async take(caller: Caller, kind: 'api' | 'track' | 'page'): Promise<RateLimitVerdict> {
    const perMinute = requestLimitOf(caller) * (kind === 'api' ? 1 : 10);
    const partition = caller.projectId;
    const subject = kind === 'page' ? 'All pages of the workspace together' : 'The workspace';
    return this.#verdict({ name: kind, perMinute, partition, subject });
  }

  /**
   * Counts one request against the limit of a signed-in person across all workspaces, so that API
   * keys keep their share.
   */
  takeUser(userId: string): Promise<RateLimitVerdict> {
    return this.#verdict({
      name: 'user',
      perMinute: config().USER_REQUESTS_PER_MINUTE,
      partition: userId,
      subject: 'A person',
    });
  }

  /**
   * Counts one request of a network (`networkOf`) against the limit of endpoints that need no key.
   */
  takePublic(network: string): Promise<RateLimitVerdict> {
    return this.#verdict({
      name: 'public',
      perMinute: config().PUBLIC_REQUESTS_PER_MINUTE,
      partition: network,
      subject: 'An address',
    });
  }

  /**
   * Counts one image against a network's limit of images that are fetched and drawn without a
   * workspace.
   */
  takeImage(network: string): Promise<RateLimitVerdict> {
    return this.#verdict({
      name: 'image',
      perMinute: config().PUBLIC_IMAGES_PER_MINUTE,
      partition: network,
      subject: 'With new images, an address',
    });
  }

  /** Counts the registration of an OAuth client against the limit of its network. */
  takeRegistration(network: string): Promise<RateLimitVerdict> {
    return this.#verdict({
      name: 'register',
      perMinute: REGISTRATIONS_PER_MINUTE,
      partition: network,
      subject: 'To register apps, an IP address',
    });
  }

  /** Counts one request against the workspace's limit of requests that fetch from other hosts. */
  takeFetch(projectId: string): Promise<RateLimitVerdict> {
    return this.#verdict({
      name: 'fetch',
      perMinute: config().PUBLIC_REQUESTS_PER_MINUTE,
      partition: projectId,
      subject: 'For images of other hosts, a workspace',
    });
  }

  async #verdict({ name, perMinute, partition, subject }: Policy): Promise<RateLimitVerdict> {
    if (perMinute === 0) return { headers: {} };
    const key = `${name}:${partition}`;
    const { remainingPoints, msBeforeNext, refused } = await this.#consume(perMinute, key);
    const reset = String(Math.ceil(msBeforeNext / 1000));
    const headers: Record<string, string> = {
      // draft-ietf-httpapi-ratelimit-headers, revision 11; the other three are of revision 6.
      'RateLimit-Policy': `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`,
      RateLimit: `"${name}";r=${remainingPoints};t=${reset}`,
      'RateLimit-Limit': String(perMinute),
      'RateLimit-Remaining': String(remainingPoints),
      'RateLimit-Reset': reset,
    };
    if (!refused) {
      return perMinute - remainingPoints < 0.8 * perMinute ? { headers } : { headers, percent: 80 };
    }
    return {
      percent: 100,
      headers: { ...headers, 'Retry-After': reset },
      refusal: new Refusal(
        'rate_limit_exceeded',
        `${subject} may send ${perMinute} requests a minute; try again in ${reset} s`,
      ),
    };
  }

  async #consume(perMinute: number, key: string) {
    try {
      const { remainingPoints, msBeforeNext } = await this.#limiter(perMinute).consume(key);
      return { remainingPoints, msBeforeNext, refused: false };
    } catch (thrown) {
      if (!(thrown instanceof RateLimiterRes)) throw thrown;
      return { remainingPoints: 0, msBeforeNext: thrown.msBeforeNext, refused: true };
    }
  }
}
