import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { type NodeAddress, slotOf, type Topology } from './redis-topology.ts';

/*
 * Connections to a Redis Cluster. Commands of single keys go to whichever node has the key (`RedisCluster`). What lives in one
 * slot, such as a queue or a channel, is used over a connection to the node that has the slot (`OwnerConnection`), which
 * behaves as one to a single server: commands that wait for an answer are never forgotten when that node goes away.
 *
 *   connecting ──the owner of the slot is known, and answers──▶ ready
 *   ready ──the connection breaks, a command is redirected, or another node is found to have the slot──▶ connecting
 */

/** Interval at which a connection makes sure that its node still has the slot, in ms. */
const FOLLOW_MS = 5_000;
/** Shortest time from one connection to the next, in ms: a slot that is being moved redirects at once. */
const AGAIN_MS = 250;
/** Time that a connection is given to close, in ms. */
const DISCONNECT_MS = 2_000;

/** Errors of a node that does not have the slot, not wholly, or not as its primary. The command has changed nothing. */
const REDIRECTED = /^(?:MOVED|ASK|TRYAGAIN|CLUSTERDOWN|READONLY|NOREPLICAS|MASTERDOWN|UNBLOCKED)\b/;

/** Options of an {@link OwnerConnection}. */
export interface OwnerOptions extends RedisOptions {
  topology: Topology;
  slot: number;
}

/** Opens connections to the node that has a slot. */
class OwnerConnector extends AbstractConnector {
  readonly #options: OwnerOptions;
  #openedAt = Number.NEGATIVE_INFINITY;

  constructor(options: unknown) {
    super(DISCONNECT_MS);
    this.#options = options as OwnerOptions;
  }

  /** Rejects only when it is disconnected: ioredis does not try again by itself. */
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
      // The connection goes on for as long as its node answers.
    }
  }
}

/** A connection to the node of a cluster that has a slot, wherever the slot goes. */
export class OwnerConnection extends Redis {
  constructor(options: OwnerOptions) {
    super({
      ...options,
      Connector: OwnerConnector,
      // 2: the command is sent again.
      reconnectOnError: ({ message }) => (REDIRECTED.test(message) ? 2 : false),
      replyMapping: 'legacy',
    });
    // The node has ended the subscription, since it does not have the slot any more.
    this.on('moved', () => this.disconnect(true));
  }

  override disconnect(reconnect = false): void {
    // The owner is being looked for already, which a disconnection would end for good.
    if (reconnect && this.status === 'connecting') return;
    super.disconnect(reconnect);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the type of ioredis depends on options that we don't set
  override duplicate(options: RedisOptions = {}): any {
    return new OwnerConnection({ ...(this.options as OwnerOptions), ...options });
  }
}

/** Connections to all nodes of a cluster. */
export class RedisCluster extends Cluster {
  readonly topology: Topology;
  readonly #open: (slot: number) => Redis;
  readonly #owners = new Map<number, Redis>();

  /** @param open opens a connection to the node that has a slot */
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

  /** The connection to the node that has a key, or a hash tag. It is opened on first use, and closed with this one. */
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
