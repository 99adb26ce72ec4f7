import { ConfigError } from '../config.ts';
import { parseRedisAddress } from './redis-address.ts';
import { openRedis, type RedisTarget, readRedisUrl } from './redis-url.ts';

/** Settings that name a Redis. */
export type RedisVariable = 'REDIS_URL' | 'CACHE_REDIS_URL';

/** The oldest version with sharded channels. */
const OLDEST_IN_CLUSTER = 7;

/**
 * Checks the server of a URL; of a cluster, the first node that answers.
 *
 * @param ms maximum time to wait for it
 * @param options.mayReplicate true if a replica is sufficient
 * @throws ConfigError when the server does not match the URL: a node of a Redis Cluster, which only
 * answers for its own slots, a replica, which accepts no writes, or sentinels that do not know the
 * primary; Error when it does not answer
 */
export async function checkRedisServer(
  variable: RedisVariable,
  url: string,
  ms: number,
  { mayReplicate = false } = {},
): Promise<void> {
  const target = readRedisUrl(url);
  const { hosts, name, isEncrypted } = parseRedisAddress(url);
  const place = `${variable}: ${hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  const info = await (target.nodes === undefined
    ? infoOf(target, ms, `${place} is no sentinel of a primary with the name "${name}"`)
    : Promise.any(
        target.nodes.map((node) =>
          infoOf({ ...target, options: { ...target.options, ...node } }, ms, place),
        ),
      ).catch(({ errors }: AggregateError) => {
        throw errors[0];
      }));
  const isNode = /^cluster_enabled:1/m.test(info);
  if (target.nodes !== undefined) {
    if (!isNode) {
      throw new ConfigError(
        `${place} is not a node of a Redis Cluster: set a URL that starts with redis://`,
      );
    }
    const [, version = '0'] = /^redis_version:(\S+)/m.exec(info) ?? [];
    if (Number.parseInt(version, 10) < OLDEST_IN_CLUSTER) {
      throw new ConfigError(
        `${place} is a Redis Cluster of version ${version}: it must be ${OLDEST_IN_CLUSTER} or newer`,
      );
    }
    return;
  }
  if (isNode) {
    const scheme = isEncrypted ? 'rediss+cluster' : 'redis+cluster';
    throw new ConfigError(
      `${place} is a node of a Redis Cluster, which holds only some of the keys: set ${scheme}://host:port,host:port`,
    );
  }
  if (!mayReplicate && /^role:slave/m.test(info)) {
    throw new ConfigError(
      `${place} is a replica, which takes no writes: set the address of its primary`,
    );
  }
}

/**
 * @throws ConfigError with the message when sentinels do not know the primary; Error when the
 * server does not answer
 */
async function infoOf(target: RedisTarget, ms: number, noPrimary: string): Promise<string> {
  const redis = openRedis(target, {
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
  try {
    await redis.connect();
    return await redis.info();
  } catch (error) {
    if (hasNoPrimary(cause)) throw new ConfigError(noPrimary);
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

/** Errors of a sentinel that does not know the name, and of a server that is not a sentinel. */
const NO_PRIMARY = [/ERR No such master with that name/, /ERR unknown command [`']sentinel/i];

const hasNoPrimary = (error: unknown): boolean =>
  NO_PRIMARY.some((pattern) => pattern.test((error as Error | undefined)?.message ?? ''));
