import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from './redis.ts';

/** Builds a limiter that counts in Redis, and in the process while Redis is down. */
export const pointLimiter = (
  redis: Redis,
  keyPrefix: string,
  limit: { points: number; duration: number },
): RateLimiterRedis =>
  new RateLimiterRedis({
    storeClient: redis,
    keyPrefix,
    ...limit,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(limit),
  });

/** Consumes a point. @returns time until the next point, in ms, if none was left */
export async function takePoint(
  limiter: RateLimiterRedis,
  name: string,
): Promise<number | undefined> {
  try {
    await limiter.consume(name);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof RateLimiterRes)) throw thrown;
    return thrown.msBeforeNext;
  }
}
