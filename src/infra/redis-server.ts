import { Redis } from 'ioredis';
import { ConfigError } from '../config.ts';
import { readRedisUrl } from './redis-url.ts';

/** Settings that name a Redis. */
export type RedisVariable = 'REDIS_URL' | 'CACHE_REDIS_URL';

/**
 * Asks the server of a URL what it is.
 *
 * @param ms longest time to wait for it
 * @param options.mayReplicate true where a replica will do
 * @throws ConfigError for a node of a Redis Cluster, which answers for its own slots only, and for a replica, which takes
 *   no writes; Error when it does not answer
 */
export async function checkRedisServer(
  variable: RedisVariable,
  url: string,
  ms: number,
  { mayReplicate = false } = {},
): Promise<void> {
  const { url: address, tls } = readRedisUrl(url);
  const redis = new Redis(address, {
    ...(tls === undefined ? {} : { tls }),
    lazyConnect: true,
    protocol: 2,
    connectTimeout: ms,
    commandTimeout: ms,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let cause: unknown;
  redis.on('error', (error) => {
    cause ??= error;
  });
  let info: string;
  try {
    await redis.connect();
    info = await redis.info();
  } catch (error) {
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
  const { hostname, port } = new URL(url);
  const place = `${variable}: ${hostname}:${port || '6379'}`;
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
