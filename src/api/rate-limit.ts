import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { Redis } from '../infra/redis.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { REQUESTS_PER_MINUTE } from '../workspaces/plans.ts';

const WINDOW_SECONDS = 60;

/** Headers to send with every answer, whether it was let through or not. */
export interface RateLimitVerdict {
  headers: Record<string, string>;
  refusal?: Refusal;
  /** Share of the limit that is used, in per cent, where that is much. */
  percent?: 80 | 100;
}

/** Requests a minute that a workspace may send; 0: no limit. */
export const requestLimitOf = ({ requestsPerMinute, plan }: Caller): number =>
  requestsPerMinute ?? REQUESTS_PER_MINUTE[plan];

/**
 * Counts requests of a workspace by the minute, in Redis, for all API processes together. While Redis is
 * away each process counts for itself.
 */
export class RateLimit {
  readonly #redis: Redis;
  readonly #limiters = new Map<number, RateLimiterRedis>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Takes one request from what the caller has left. */
  async take(caller: Caller, kind: 'api' | 'track'): Promise<RateLimitVerdict> {
    const perMinute = requestLimitOf(caller) * (kind === 'track' ? 10 : 1);
    return this.#verdict(perMinute, `${kind}:${caller.projectId}`, 'The workspace');
  }

  /** Takes one request from what a signed-in person has left, in all their workspaces: they leave API keys their share. */
  takeUser(userId: string): Promise<RateLimitVerdict> {
    return this.#verdict(config().USER_REQUESTS_PER_MINUTE, `user:${userId}`, 'A person');
  }

  /** Takes one request from what a network (`networkOf`) has left for endpoints that need no key. */
  takePublic(network: string): Promise<RateLimitVerdict> {
    return this.#verdict(config().PUBLIC_REQUESTS_PER_MINUTE, `public:${network}`, 'An address');
  }

  /** Takes one image from what a network has left of images that are fetched and drawn for no workspace. */
  takeImage(network: string): Promise<RateLimitVerdict> {
    return this.#verdict(
      config().PUBLIC_IMAGES_PER_MINUTE,
      `image:${network}`,
      'With new images, an address',
    );
  }

  /** Takes one request from what a workspace has left for having other hosts asked. */
  takeFetch(projectId: string): Promise<RateLimitVerdict> {
    return this.#verdict(
      config().PUBLIC_REQUESTS_PER_MINUTE,
      `fetch:${projectId}`,
      'For images of other hosts, a workspace',
    );
  }

  async #verdict(perMinute: number, key: string, who: string): Promise<RateLimitVerdict> {
    if (perMinute === 0) return { headers: {} };
    const { remainingPoints, msBeforeNext, refused } = await this.#consume(perMinute, key);
    const reset = String(Math.ceil(msBeforeNext / 1000));
    const headers: Record<string, string> = {
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
        `${who} may send ${perMinute} requests a minute; try again in ${reset} s`,
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

  #limiter(points: number): RateLimiterRedis {
    let limiter = this.#limiters.get(points);
    if (limiter === undefined) {
      limiter = new RateLimiterRedis({
        storeClient: this.#redis,
        keyPrefix: 'rl',
        points,
        duration: WINDOW_SECONDS,
        insuranceLimiter: new RateLimiterMemory({ points, duration: WINDOW_SECONDS }),
      });
      this.#limiters.set(points, limiter);
    }
    return limiter;
  }
}
