import type { RedisOptions, Redis as SingleRedis } from 'ioredis';
import { config } from '../config.ts';
import type { Log } from './log.ts';
import { OwnerConnection, RedisCluster } from './redis-cluster.ts';
import { slotOf, Topology } from './redis-topology.ts';
import { openRedis, type RedisTarget, readRedisUrl } from './redis-url.ts';

export type { SingleRedis };

/** A connection to a server or to a cluster. */
export type Redis = SingleRedis | RedisCluster;

/**
 * Behavior while Redis is unreachable: `fail-fast` rejects commands at once (API, redirect), `wait`
 * queues them until the connection is back (workers).
 */
export type OfflineBehavior = 'fail-fast' | 'wait';

/**
 * Returns the delay before the next attempt to connect, in ms. A restart takes a second or two, so
 * attempts are frequent.
 */
const pauseAfter = (attempts: number): number => Math.min(50 * attempts, 500);

const COMMON: RedisOptions = {
  retryStrategy: pauseAfter,
  connectTimeout: 2_000,
  // RESP2 replies are cheaper to decode, and no feature of RESP3 is used.
  protocol: 2,
};

/**
 * Time without an answer after which a connection to a server that may have been replaced is
 * reopened, in ms. It exceeds the longest blocking command.
 */
const SILENCE_MS = 15_000;
/** Interval of pings that reveal a silent connection, in ms. */
const PING_MS = 2_000;

/**
 * Options for setups with failover. A former primary closes its connections when it becomes a
 * replica; until then it may continue for seconds, or be unable to close anything.
 */
const FAILOVER: RedisOptions = {
  sentinelRetryStrategy: pauseAfter,
  socketTimeout: SILENCE_MS,
  // 2: ioredis sends the command again, which has changed nothing.
  reconnectOnError: ({ message }) => (/READONLY|NOREPLICAS/.test(message) ? 2 : false),
};

/**
 * Number of redirections after which a command fails, about 100 ms each. A failover is over by
 * then, or the caller proceeds without Redis.
 */
const REDIRECTIONS = { wait: 10_000, 'fail-fast': 5 };
/**
 * Timeout of a command to a cluster, in ms, because ioredis may lose a command while it discovers
 * the nodes.
 */
const CLUSTER_COMMAND_MS = 30_000;

type ConnectionOptions = RedisOptions & { onError?: (error: Error) => void };

/**
 * Opens a connection. Errors of the connection itself go to `onError`; without it they are ignored,
 * but commands still reject.
 */
export function connectRedis(
  url: string,
  offline: OfflineBehavior,
  options: ConnectionOptions = {},
): Redis {
  const target = readRedisUrl(url);
  return target.nodes === undefined
    ? openServer(target, offline, options)
    : openCluster(url, target, offline, options);
}

/** Opens a connection to the server that owns a key; on a cluster, it follows the key. */
export function connectToOwner(
  url: string,
  key: string,
  offline: OfflineBehavior,
  options: ConnectionOptions = {},
): SingleRedis {
  const target = readRedisUrl(url);
  if (target.nodes === undefined) return openServer(target, offline, options);
  return openOwner(topologyOf(url, target), slotOf(key), { target, offline, options });
}

/**
 * Returns the connection to the server that owns a key, which is the connection itself if there is
 * only one server.
 */
export const ownerOf = (redis: Redis, key: string): SingleRedis =>
  redis instanceof RedisCluster ? redis.owner(key) : redis;

/**
 * Sends all commands of one turn of the event loop with one system call. For a connection with many
 * small commands, system calls take most of the time.
 */
export function joinWrites(redis: Redis): void {
  if (redis instanceof RedisCluster) {
    redis.on('+node', joinWrites);
    return;
  }
  redis.on('connect', () => {
    const { stream } = redis;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    let isCorked = false;
    stream.write = (...args: unknown[]) => {
      if (!isCorked) {
        isCorked = true;
        stream.cork();
        setImmediate(() => {
          isCorked = false;
          stream.uncork();
        });
      }
      return write(...args);
    };
  });
}

/** Returns the connections to all servers that own keys. */
export const primariesOf = (redis: Redis): SingleRedis[] =>
  redis instanceof RedisCluster ? redis.nodes('master') : [redis];

/** Iterates over the key names that match a pattern, in batches. */
export async function* scanKeys(redis: Redis, match: string): AsyncGenerator<string[], void> {
  for (const primary of primariesOf(redis)) {
    yield* primary.scanStream({ match, count: 1_000 }) as AsyncIterable<string[]>;
  }
}

/** Calls the listener whenever a connection to a server is lost. */
export function onConnectionLost(redis: Redis, listener: () => void): void {
  if (redis instanceof RedisCluster) redis.on('-node', listener);
  redis.on('close', listener);
}

const queueing = (offline: OfflineBehavior): RedisOptions =>
  offline === 'wait'
    ? { maxRetriesPerRequest: null }
    : { maxRetriesPerRequest: 0, enableOfflineQueue: false };

function openServer(
  target: RedisTarget,
  offline: OfflineBehavior,
  { onError = () => {}, ...options }: ConnectionOptions,
): SingleRedis {
  const redis = openRedis(target, {
    ...COMMON,
    ...queueing(offline),
    ...(target.failsOver && FAILOVER),
    ...options,
  });
  redis.on('error', onError);
  if (target.failsOver) keepAsking(redis);
  return redis;
}

/** Topologies of clusters, by URL. */
const topologies = new Map<string, Topology>();

function topologyOf(url: string, { nodes = [], options }: RedisTarget): Topology {
  const topology = topologies.get(url) ?? new Topology(nodes, { ...COMMON, ...options });
  topologies.set(url, topology);
  return topology;
}

function openCluster(
  url: string,
  target: RedisTarget,
  offline: OfflineBehavior,
  options: ConnectionOptions,
): RedisCluster {
  const { onError = () => {}, ...others } = options;
  const topology = topologyOf(url, target);
  const cluster = new RedisCluster(
    target.nodes ?? [],
    {
      clusterRetryStrategy: pauseAfter,
      enableOfflineQueue: offline === 'wait',
      maxRedirections: REDIRECTIONS[offline],
      // Each connection resolves the name itself, and verifies its certificate.
      dnsLookup: (address, callback) => callback(null, address),
      redisOptions: {
        protocol: COMMON.protocol!,
        connectTimeout: COMMON.connectTimeout!,
        socketTimeout: SILENCE_MS,
        commandTimeout: CLUSTER_COMMAND_MS,
        ...target.options,
        ...others,
      },
    },
    { topology, open: (slot) => openOwner(topology, slot, { target, offline, options }) },
  );
  cluster.on('error', onError);
  keepAsking(cluster);
  return cluster;
}

function openOwner(
  topology: Topology,
  slot: number,
  {
    target,
    offline,
    options: { onError = () => {}, ...options },
  }: { target: RedisTarget; offline: OfflineBehavior; options: ConnectionOptions },
): OwnerConnection {
  const redis = new OwnerConnection({
    ...COMMON,
    ...queueing(offline),
    socketTimeout: SILENCE_MS,
    ...target.options,
    ...options,
    // Otherwise a connection opened on first use would refuse its first command.
    enableOfflineQueue: true,
    topology,
    slot,
  });
  redis.once('ready', () => {
    redis.options.enableOfflineQueue = offline === 'wait';
  });
  redis.on('error', onError);
  keepAsking(redis);
  return redis;
}

function keepAsking(redis: Redis): void {
  const timer = setInterval(() => {
    for (const primary of primariesOf(redis)) {
      // Connection errors are reported separately.
      if (primary.status === 'ready') primary.ping().catch(() => {});
    }
  }, PING_MS).unref();
  redis.once('end', () => clearInterval(timer));
}

/** Resolves when the connection accepts commands; rejects after `ms` milliseconds. */
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

// One of each per process: a worker's jobs share them, and `closeRedis` forgets them.
let cache: Redis | undefined;
let queue: Redis | undefined;

/** Returns the worker's connection to the look-up cache, opened on first use. */
export function cacheRedis(): Redis {
  cache ??= connectRedis(config().CACHE_REDIS_URL, 'wait');
  return cache;
}

/** Returns the worker's connection for adding follow-up jobs, opened on first use. */
export function queueRedis(): Redis {
  queue ??= connectRedis(config().REDIS_URL, 'wait');
  return queue;
}

/** Closes the shared connections if they are open. */
export async function closeRedis(): Promise<void> {
  for (const redis of [cache, queue]) await redis?.quit().catch(() => {});
  cache = undefined;
  queue = undefined;
}

/**
 * Warns, now and after each new connection, if the Redis of the queues may lose jobs, or has too
 * few replicas to confirm them. The look-up cache is not checked, because its entries can be
 * rebuilt.
 */
export function watchPersistence(redis: Redis, log: Log): void {
  let last = '';
  const look = async (): Promise<void> => {
    // Hosted servers refuse CONFIG GET.
    const infos = await Promise.all(
      primariesOf(redis).map(
        async (server) =>
          `${await server.info('memory')}\r\n${await server.info('persistence')}\r\n${await server.info('replication')}`,
      ),
    );
    const faults = [...new Set(infos.flatMap((info) => persistenceFaults(info)))].join('; ');
    if (faults !== '' && faults !== last) log.warn(`REDIS_URL: ${faults}`);
    last = faults;
  };
  const tryToLook = () => void look().catch(() => {});
  redis.on('ready', tryToLook);
  if (redis.status === 'ready') tryToLook();
}

/**
 * @param info sections `memory`, `persistence` and `replication` of INFO; missing values are not
 * faults
 */
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
  const needed = config().REDIS_WAIT_REPLICAS;
  const replicas = Number(/^connected_slaves:(\d+)/m.exec(info)?.[1] ?? needed);
  if (replicas < needed) {
    faults.push(
      `replicas connected: ${replicas}, and REDIS_WAIT_REPLICAS is ${needed}: until there are more, visits are written to the disk`,
    );
  }
  return faults;
}
