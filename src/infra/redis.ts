import type { Redis, RedisOptions } from 'ioredis';
import { config } from '../config.ts';
import type { Log } from './log.ts';
import { openRedis, readRedisUrl } from './redis-url.ts';

export type { Redis };

/**
 * Behaviour of a connection while Redis is not reachable: `fail-fast` rejects commands at once (API, redirect), `wait`
 * queues them until it is connected again (workers).
 */
export type OfflineBehaviour = 'fail-fast' | 'wait';

/** Pause before the next attempt to connect, in ms. A restart takes a second or two: ask again soon, and often. */
const pauseAfter = (attempts: number): number => Math.min(50 * attempts, 500);

const COMMON: RedisOptions = {
  retryStrategy: pauseAfter,
  connectTimeout: 2_000,
  // RESP2: a reply is decoded with less work, and nothing of ours needs RESP3.
  protocol: 2,
};

/** Time without an answer after which a connection to a server that may have been replaced is reopened, in ms. Longer than commands block. */
const SILENCE_MS = 15_000;
/** Interval at which such a connection is used, so that silence shows, in ms. */
const PING_MS = 2_000;

/**
 * Options where another server may take over. The one of before closes its connections when it becomes a replica; until
 * then it may go on for seconds, or be unable to close anything.
 */
const FAILOVER: RedisOptions = {
  sentinelRetryStrategy: pauseAfter,
  socketTimeout: SILENCE_MS,
  // 2: the command, which has changed nothing, is sent again.
  reconnectOnError: ({ message }) => (/READONLY|NOREPLICAS/.test(message) ? 2 : false),
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
  const target = readRedisUrl(url);
  const redis = openRedis(target, {
    ...COMMON,
    ...queueing,
    ...(target.failsOver && FAILOVER),
    ...options,
  });
  redis.on('error', onError);
  if (target.failsOver) keepAsking(redis);
  return redis;
}

function keepAsking(redis: Redis): void {
  const timer = setInterval(() => {
    // An error of the connection is reported by itself.
    if (redis.status === 'ready') redis.ping().catch(() => {});
  }, PING_MS).unref();
  redis.once('end', () => clearInterval(timer));
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

/**
 * Warns, now and after each new connection, if the Redis of the queues may lose jobs. The look-up cache needs neither: its
 * entries are made again.
 */
export function watchPersistence(redis: Redis, log: Log): void {
  let last = '';
  const look = async (): Promise<void> => {
    // Not CONFIG GET, which hosted servers refuse.
    const faults = persistenceFaults(
      `${await redis.info('memory')}\r\n${await redis.info('persistence')}`,
    ).join('; ');
    if (faults !== '' && faults !== last) log.warn(`REDIS_URL: ${faults}`);
    last = faults;
  };
  const tryToLook = () => void look().catch(() => {});
  redis.on('ready', tryToLook);
  if (redis.status === 'ready') tryToLook();
}

/** @param info of Redis: sections `memory` and `persistence`; what a server does not tell is no fault */
function persistenceFaults(info: string): string[] {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction';
  const faults: string[] = [];
  if (policy !== 'noeviction') {
    faults.push(
      `maxmemory-policy is ${policy}, which deletes queued jobs and visits when memory is full: set noeviction`,
    );
  }
  if (/^aof_enabled:0/m.test(info)) {
    faults.push(
      'there is no append-only file, so a restart loses jobs and visits since the last snapshot: set appendonly yes',
    );
  }
  return faults;
}
