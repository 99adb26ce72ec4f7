import { Redis, type RedisOptions } from 'ioredis';
import { config } from '../config.ts';

export type { Redis };

/**
 * Behaviour of a connection while Redis is not reachable: `fail-fast` rejects commands at once (API, redirect), `wait`
 * queues them until it is connected again (workers).
 */
export type OfflineBehaviour = 'fail-fast' | 'wait';

const COMMON: RedisOptions = {
  // A restart takes a second or two: ask again soon, and often.
  retryStrategy: (times) => Math.min(50 * times, 500),
  connectTimeout: 2_000,
  // RESP2: a reply is decoded with less work, and nothing of ours needs RESP3.
  protocol: 2,
};

/** Opens a connection. Errors of the connection itself go to `onError`; without it they are dropped, commands still reject. */
export function connectRedis(
  url: string,
  offline: OfflineBehaviour,
  { onError = () => {}, ...options }: RedisOptions & { onError?: (error: Error) => void } = {},
): Redis {
  const queueing: RedisOptions =
    offline === 'wait'
      ? { maxRetriesPerRequest: null }
      : { maxRetriesPerRequest: 0, enableOfflineQueue: false };
  const redis = new Redis(url, { ...COMMON, ...queueing, ...options, replyMapping: 'legacy' });
  redis.on('error', onError);
  return redis;
}

/** Resolves when the connection can take commands; rejects after `ms` milliseconds. */
export async function redisReady(redis: Redis, ms = 10_000): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis did not answer in time')), ms);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

let cache: Redis | undefined;
let queue: Redis | undefined;

/** The worker's connection to the look-up cache, opened on first use. */
export function cacheRedis(): Redis {
  cache ??= connectRedis(config().CACHE_REDIS_URL, 'wait');
  return cache;
}

/** The worker's connection for jobs that follow from others, opened on first use. */
export function queueRedis(): Redis {
  queue ??= connectRedis(config().REDIS_URL, 'wait');
  return queue;
}

/** Closes the shared connections, where they were opened. */
export async function closeRedis(): Promise<void> {
  for (const redis of [cache, queue]) await redis?.quit().catch(() => {});
  cache = undefined;
  queue = undefined;
}
