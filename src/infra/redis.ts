import type { RedisOptions, Redis as SingleRedis } from 'ioredis';
import { config } from '../config.ts';
import type { Log } from './log.ts';
import { OwnerConnection, RedisCluster } from './redis-cluster.ts';
import { slotOf, Topology } from './redis-topology.ts';
import { openRedis, type RedisTarget, readRedisUrl } from './redis-url.ts';

export type { SingleRedis };

/** A connection to a server, or to a cluster. */
export type Redis = SingleRedis | RedisCluster;

/**
 * Behavior of a connection while Redis is not reachable: `fail-fast` rejects commands at once (API, redirect), `wait`
 * queues them until it is connected again (workers).
 */
export type OfflineBehavior = 'fail-fast' | 'wait';

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

/** Redirections after which a command is given up, about 100 ms each: a failover is over, or the caller goes on without. */
const REDIRECTIONS = { wait: 10_000, 'fail-fast': 5 };
/** Timeout of a command to a cluster, in ms: ioredis may forget one while it finds out which nodes there are. */
const CLUSTER_COMMAND_MS = 30_000;

type ConnectionOptions = RedisOptions & { onError?: (error: Error) => void };

/** Opens a connection. Errors of the connection itself go to `onError`; without it they are dropped, commands still reject. */
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

/** Opens a connection to the server that has a key; on a cluster, it goes where the key goes. */
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

/** The connection for what has to be done by the server that has a key: the connection itself where there is one server. */
export const ownerOf = (redis: Redis, key: string): SingleRedis =>
  redis instanceof RedisCluster ? redis.owner(key) : redis;

/** The connections to all servers that have keys. */
export const primariesOf = (redis: Redis): SingleRedis[] =>
  redis instanceof RedisCluster ? redis.nodes('master') : [redis];

/** The names that match a pattern, in parts. */
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
      // Names are resolved by each connection, which verifies the certificate of the name.
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
    // Opened on first use, it would refuse the command that it is opened for.
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
      // An error of the connection is reported by itself.
      if (primary.status === 'ready') primary.ping().catch(() => {});
    }
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

// One of each per process: a worker's jobs share them, and `closeRedis` forgets them.
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
 * Warns, now and after each new connection, if the Redis of the queues may lose jobs, or has too few replicas to confirm them. The
 * look-up cache needs neither: its entries are made again.
 */
export function watchPersistence(redis: Redis, log: Log): void {
  let last = '';
  const look = async (): Promise<void> => {
    // Not CONFIG GET, which hosted servers refuse.
    const infos = await Promise.all(
      primariesOf(redis).map(
        async (one) =>
          `${await one.info('memory')}\r\n${await one.info('persistence')}\r\n${await one.info('replication')}`,
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

/** @param info of Redis: sections `memory`, `persistence` and `replication`; what a server does not tell is no fault */
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
