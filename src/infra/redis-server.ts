import { ConfigError } from '../config.ts';
import { parseRedisAddress } from './redis-address.ts';
import { openRedis, readRedisUrl } from './redis-url.ts';

/** Settings that name a Redis. */
export type RedisVariable = 'REDIS_URL' | 'CACHE_REDIS_URL';

/**
 * Asks the server of a URL what it is.
 *
 * @param ms longest time to wait for it
 * @param options.mayReplicate true where a replica will do
 * @throws ConfigError for a node of a Redis Cluster, which answers for its own slots only, and for a replica, which takes
 *   no writes, and for sentinels that do not know the primary; Error when it does not answer
 */
export async function checkRedisServer(
  variable: RedisVariable,
  url: string,
  ms: number,
  { mayReplicate = false } = {},
): Promise<void> {
  const redis = openRedis(readRedisUrl(url), {
    lazyConnect: true,
    protocol: 2,
    connectTimeout: ms,
    commandTimeout: ms,
    enableReadyCheck: false,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    sentinelCommandTimeout: ms,
  });
  let cause: unknown;
  for (const event of ['sentinelError', 'error']) {
    redis.on(event, (error: unknown) => {
      if (cause === undefined || hasNoPrimary(error)) cause = error;
    });
  }
  const { hosts, name } = parseRedisAddress(url);
  const place = `${variable}: ${hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  let info: string;
  try {
    await redis.connect();
    info = await redis.info();
  } catch (error) {
    if (hasNoPrimary(cause)) {
      throw new ConfigError(`${place} is no sentinel of a primary with the name "${name}"`);
    }
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
  if (/^cluster_enabled:1/m.test(info)) {
    throw new ConfigError(
      `${place} is a node of a Redis Cluster, which holds only some of the keys: set a Redis that is not in cluster mode`,
    );
  }
  if (!mayReplicate && /^role:slave/m.test(info)) {
    throw new ConfigError(
      `${place} is a replica, which takes no writes: set the address of its primary`,
    );
  }
}

/** Errors of a sentinel that knows no such name, and of a server that is no sentinel. */
const NO_PRIMARY = [/ERR No such master with that name/, /ERR unknown command [`']sentinel/i];

const hasNoPrimary = (error: unknown): boolean =>
  NO_PRIMARY.some((pattern) => pattern.test((error as Error | undefined)?.message ?? ''));
