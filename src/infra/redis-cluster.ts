import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { type NodeAddress, slotOf, type Topology } from './redis-topology.ts';

/*
 * Connections to a Redis Cluster. Commands for single keys go to the node that owns the key
 * (`RedisCluster`). Everything that lives in one slot, such as a queue or a channel, is used over a
 * connection to the node that owns the slot (`OwnerConnection`), which behaves like one to a single
 * server: commands that wait for an answer are not lost when that node goes away.
 *
 *   connecting ──the owner of the slot is known, and answers──▶ ready
 *   ready ──the connection breaks, a command is redirected, or the slot has moved──▶ connecting
 */

/** Interval at which a connection checks that its node still owns the slot, in ms. */
const FOLLOW_MS = 5_000;
/**
 * Minimum time between two connections, in ms, because a slot that is being moved redirects at
 * once.
 */
const AGAIN_MS = 250;
/** Time limit for closing a connection, in ms. */
const DISCONNECT_MS = 2_000;

/**
 * Errors of a node that does not own the slot, owns only a part, or is not its primary. The command
 * has changed nothing.
 */
const REDIRECTED = /^(?:MOVED|ASK|TRYAGAIN|CLUSTERDOWN|READONLY|NOREPLICAS|MASTERDOWN|UNBLOCKED)\b/;

/** Options of an {@link OwnerConnection}. */
export interface OwnerOptions extends RedisOptions {
  topology: Topology;
  slot: number;
}

/** Opens connections to the node that owns a slot. */
class OwnerConnector extends AbstractConnector {
  readonly #options: OwnerOptions;
  #openedAt = Number.NEGATIVE_INFINITY;

  constructor(options: unknown) {
    super(DISCONNECT_MS);
    this.#options = options as OwnerOptions;
  }

  /** Rejects only when it is disconnected, because ioredis does not retry this. */
  override async connect(report: (event: string, error: Error) => void) {
    this.connecting = true;
    const { tls } = this.#options;
    const owner = await this.#owner(report);
    this.#openedAt = performance.now();
    const stream = tls === undefined ? createConnection(owner) : connectTls({ ...owner, ...tls });
    stream.once('error', (error) => {
      this.firstError = error;
    });
    const following = setInterval(() => void this.#follow(owner), FOLLOW_MS).unref();
    stream.once('close', () => clearInterval(following));
    this.stream = stream;
    return stream;
  }

  async #owner(report: (event: string, error: Error) => void): Promise<NodeAddress> {
    const { topology, slot } = this.#options;
    await pause(Math.max(0, this.#openedAt + AGAIN_MS - performance.now()));
    for (let isReported = false; this.connecting; await pause(AGAIN_MS)) {
      try {
        const owner = await topology.ownerOf(slot);
        if (this.connecting) return owner;
      } catch (error) {
        if (!isReported) report('error', error as Error);
        isReported = true;
      }
    }
    throw new Error('Connection is closed.');
  }

  async #follow(from: NodeAddress): Promise<void> {
    const { topology, slot } = this.#options;
    const { stream } = this;
    try {
      const { host, port } = await topology.ownerOf(slot);
      if ((host !== from.host || port !== from.port) && stream === this.stream) this.disconnect();
    } catch {
      // The connection stays in use for as long as its node answers.
    }
  }
}

/** A connection to the cluster node that owns a slot; it follows the slot to other nodes. */
export class OwnerConnection extends Redis {
  constructor(options: OwnerOptions) {
    super({
      ...options,
      Connector: OwnerConnector,
      // 2: ioredis sends the command again.
      reconnectOnError: ({ message }) => (REDIRECTED.test(message) ? 2 : false),
      replyMapping: 'legacy',
    });
    // The node has ended the subscription because it no longer owns the slot.
    this.on('moved', () => this.disconnect(true));
  }

  override disconnect(reconnect = false): void {
    // The owner is already being searched, which a disconnection would stop forever.
    if (reconnect && this.status === 'connecting') return;
    super.disconnect(reconnect);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- depends on options not set here
  override duplicate(options: RedisOptions = {}): any {
    return new OwnerConnection({ ...(this.options as OwnerOptions), ...options });
  }
}

/** Connections to all nodes of a cluster. */
export class RedisCluster extends Cluster {
  readonly topology: Topology;
  readonly #open: (slot: number) => Redis;
  readonly #owners = new Map<number, Redis>();

  /** @param open opens a connection to the node that owns a slot */
  constructor(
    nodes: NodeAddress[],
    options: ClusterOptions & { redisOptions: RedisOptions },
    { topology, open }: { topology: Topology; open: (slot: number) => Redis },
  ) {
    const redisOptions = { ...options.redisOptions, replyMapping: 'legacy' } as const;
    super(nodes, { ...options, redisOptions });
    this.topology = topology;
    this.#open = open;
  }

  /**
   * Returns the connection to the node that owns a key or hash tag. It is opened on first use, and
   * closed with this one.
   */
  owner(key: string): Redis {
    const slot = slotOf(key);
    const owner = this.#owners.get(slot) ?? this.#open(slot);
    this.#owners.set(slot, owner);
    return owner;
  }

  override disconnect(reconnect = false): void {
    if (!reconnect) for (const owner of this.#owners.values()) owner.disconnect();
    super.disconnect(reconnect);
  }

  override async quit(): Promise<'OK'> {
    await Promise.all([...this.#owners.values()].map((owner) => owner.quit().catch(() => {})));
    return super.quit();
  }
}
