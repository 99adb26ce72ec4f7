import { createHash } from 'node:crypto';
import { Command, Redis, type RedisOptions } from 'ioredis';
import { within } from './clock.ts';

/*
 * Finds out which node of a Redis Cluster owns a slot, and whether the data of a node may have been
 * lost. All known nodes are queried at once, and of those that are connected to the majority, the
 * one with the latest configuration is trusted: others may not have heard of a failover yet, or may
 * be disconnected.
 */

/** Address of a cluster node. */
export interface NodeAddress {
  host: string;
  port: number;
}

/** State of a cluster at one moment. */
export interface ClusterState {
  /** The owners of slot ranges. */
  ranges: { first: number; last: number; owner: NodeAddress }[];
  /** Digest of the replication ids of all primaries; `undefined` if one of them is unknown. */
  epoch: string | undefined;
}

/** The answer of one node. */
interface View {
  /** Number that increases with each change of the configuration. */
  configuration: number;
  isUp: boolean;
  /** Result of CLUSTER SLOTS: first and last slot, the primary, the replicas. */
  ranges: { first: number; last: number; nodes: NodeAddress[] }[];
  replicationId: string | undefined;
}

const SLOTS = 16_384;
const DIGEST_LENGTH = 8;
/** Timeout of a query to a node, in ms. */
const ANSWER_MS = 1_000;
/** Idle time after which connections are closed, in ms. */
const IDLE_MS = 20_000;

/** Returns the slot of a key, or of its hash tag. */
export const slotOf = (key: string): number => new Command('get', [key]).getSlot()!;

const keyOf = ({ host, port }: NodeAddress): string => `${host}:${port}`;

/** Queries the nodes of a cluster for its state. */
export class Topology {
  readonly #seeds: readonly NodeAddress[];
  readonly #options: RedisOptions;
  readonly #nodes = new Map<string, Redis>();
  #asking: Promise<ClusterState> | undefined;
  #idle: NodeJS.Timeout | undefined;

  /**
   * @param seeds some of the nodes
   * @param options of the connections
   */
  constructor(seeds: readonly NodeAddress[], options: RedisOptions) {
    this.#seeds = seeds;
    this.#options = options;
  }

  /**
   * Resolves to the state of the cluster; concurrent callers share one answer.
   *
   * @throws Error when no node answers that is connected to the majority
   */
  state(): Promise<ClusterState> {
    this.#asking ??= this.#query().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /**
   * Resolves to the node that owns a slot.
   *
   * @throws Error when it is unknown, or no node owns it
   */
  async ownerOf(slot: number): Promise<NodeAddress> {
    const { ranges } = await this.state();
    const range = ranges.find(({ first, last }) => first <= slot && slot <= last);
    if (range === undefined) throw new Error(`no node of the Redis Cluster has slot ${slot}`);
    return range.owner;
  }

  async #query(): Promise<ClusterState> {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#keep([]), IDLE_MS).unref();
    const views = new Map<string, View>();
    const knownNodes = [...this.#seeds.map(keyOf), ...this.#nodes.keys()];
    await this.#view(knownNodes, views);
    const [latest] = [...views.values()]
      .filter(({ isUp }) => isUp)
      .toSorted((a, b) => b.configuration - a.configuration);
    if (latest === undefined) throw new Error('the Redis Cluster is down');
    const nodes = latest.ranges.flatMap((range) => range.nodes.map(keyOf));
    await this.#view(
      nodes.filter((node) => !knownNodes.includes(node)),
      views,
    );
    this.#keep([...this.#seeds.map(keyOf), ...nodes]);
    const ranges = latest.ranges.map(({ first, last, nodes: [owner] }) => ({
      first,
      last,
      owner: owner!,
    }));
    return { ranges, epoch: epochOf(ranges, views) };
  }

  /** Adds the answers of nodes to the views; nodes that do not answer are left out. */
  async #view(nodes: readonly string[], views: Map<string, View>): Promise<void> {
    await Promise.all(
      [...new Set(nodes)].map(async (node) => {
        try {
          views.set(node, await viewOf(this.#connection(node), node));
        } catch {
          // Other nodes answer.
        }
      }),
    );
  }

  #connection(node: string): Redis {
    const existing = this.#nodes.get(node);
    if (existing !== undefined) return existing;
    const colon = node.lastIndexOf(':');
    const redis = new Redis({
      ...this.#options,
      host: node.slice(0, colon),
      port: Number(node.slice(colon + 1)),
      connectTimeout: ANSWER_MS,
      maxRetriesPerRequest: 0,
      // A node that is still loading its data knows the cluster.
      enableReadyCheck: false,
      replyMapping: 'legacy',
    });
    redis.on('error', () => {});
    // Lets a process end that has closed its other connections; a pending query has a timer.
    redis.on('connect', () => redis.stream.unref());
    this.#nodes.set(node, redis);
    return redis;
  }

  /** Closes the connections to other nodes. */
  #keep(nodes: readonly string[]): void {
    for (const [node, redis] of this.#nodes) {
      if (nodes.includes(node)) continue;
      redis.disconnect();
      this.#nodes.delete(node);
    }
  }
}

async function viewOf(redis: Redis, node: string): Promise<View> {
  if (redis.status === 'reconnecting') throw new Error(`${node} is not connected`);
  const [info, slots, replication] = await within(
    ANSWER_MS,
    Promise.all([redis.cluster('INFO'), redis.cluster('SLOTS'), redis.info('replication')]),
    node,
  );
  return {
    configuration: Number(/^cluster_current_epoch:(\d+)/m.exec(info)?.[1]),
    isUp: /^cluster_state:ok/m.test(info),
    ranges: slots.map(([first, last, ...nodes]) => ({
      first,
      last,
      nodes: nodes.map(([host, port]) => ({
        // A node that was never told its own address returns an empty host: use the queried
        // address.
        host: host || node.slice(0, node.lastIndexOf(':')),
        port,
      })),
    })),
    replicationId: /^master_replid:(\w+)/m.exec(replication)?.[1],
  };
}

function epochOf(
  ranges: ClusterState['ranges'],
  views: ReadonlyMap<string, View>,
): string | undefined {
  const slots = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const owners = new Set(ranges.map(({ owner }) => keyOf(owner)));
  const ids = [...owners].map((owner) => views.get(owner)?.replicationId);
  return slots === SLOTS && ids.every((id) => id !== undefined)
    ? digestOf(ids.toSorted().join(' '))
    : undefined;
}

/** Returns a short digest of replication ids. */
export const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);
