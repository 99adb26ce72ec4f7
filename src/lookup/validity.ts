import { onConnectionLost, type Redis, type SingleRedis } from '../infra/redis.ts';
import { onMessage, publish, subscribe } from '../infra/redis-channels.ts';
import { RedisCluster } from '../infra/redis-cluster.ts';
import { digestOf } from '../infra/redis-topology.ts';
import { CHANGED } from './codec.ts';

/*
 * Distinguishes valid copies of entries from outdated ones: copies in memory are valid while invalidations arrive, copies
 * in Redis if they are of the present epoch. `docs/decisions/0003-lookup-cache.md` says why.
 */

const HEARTBEAT_MS = 250;
/** Time for which a received heartbeat proves that all earlier invalidations have arrived, in ms. */
const VALID_MS = 1_000;
/** A subscriber that receives nothing for so long has lost its connection without noticing. */
const SILENCE_MS = 5_000;

/** Callbacks of an {@link InvalidationMonitor}. */
export interface InvalidationEvents {
  /** Entries were changed; names as in `codec.ts`. */
  onChanged(names: string[]): void;
  /** Invalidations arrive (again); some may have been missed before. */
  onConnected(): void;
  /** Invalidations may no longer arrive. */
  onLost(): void;
  /** At every heartbeat. */
  onHeartbeat(now: number): void;
}

/**
 * Knows whether invalidations reach this process.
 *
 *   lost ──a heartbeat comes back──▶ receiving ──none for VALID_MS, or the subscriber's connection closes──▶ lost
 *
 * A heartbeat is the present time, published on a channel of this process and received on the connection that receives
 * invalidations: messages keep their order, so a heartbeat proves the arrival of all that was published before it. The
 * time in it counts, not that of its arrival, so that a slow connection is no proof. Heartbeats are numbered: a replica that
 * was synchronized anew has the data of its primary, but not the messages of the time between.
 */
export class InvalidationMonitor {
  readonly #publisher: () => Redis | undefined;
  readonly #subscriber: SingleRedis;
  readonly #channel: string;
  readonly #events: InvalidationEvents;
  readonly #timer: NodeJS.Timeout;
  #receivingUntil = 0;
  #lastMessage = 0;
  #wasReceiving = false;
  #sent = 0;
  #received = 0;

  /**
   * @param publisher the connection to the Redis where changes are announced, as soon as it is known: where the
   *   subscriber's is a replica, that is its primary
   * @param subscriber a connection of its own, of `connectSubscriber`
   */
  constructor(
    publisher: () => Redis | undefined,
    subscriber: SingleRedis,
    instance: string,
    events: InvalidationEvents,
  ) {
    this.#publisher = publisher;
    this.#subscriber = subscriber;
    this.#channel = `hb:${instance}`;
    this.#events = events;
    onMessage(subscriber, (channel, message) => {
      this.#lastMessage = performance.now();
      if (channel === CHANGED) events.onChanged(message.split('\n'));
      else {
        const [sentAt, number] = message.split(' ').map(Number);
        this.#receive(sentAt!, number!);
      }
    });
    subscriber.on('ready', () => this.#subscribe());
    subscriber.on('close', () => this.#lose());
    if (subscriber.status === 'ready') this.#subscribe();
    this.#timer = setInterval(() => this.#heartbeat(), HEARTBEAT_MS);
    this.#timer.unref();
  }

  /** True while this process has received all invalidations. `now` is `performance.now()`. */
  isReceiving(now: number): boolean {
    return now < this.#receivingUntil;
  }

  /** When it was lost, on the clock of `performance.now()`; meaningful while none are received. */
  get lostAt(): number {
    return this.#receivingUntil;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#wasReceiving = false;
    this.#receivingUntil = 0;
  }

  #subscribe(): void {
    this.#lastMessage = performance.now();
    // In one command, so that no beat can arrive before invalidations do.
    subscribe(this.#subscriber, CHANGED, this.#channel).then(
      () => this.#publish(),
      () => {
        // The connection broke again: the next one subscribes. Until then no beat arrives.
      },
    );
  }

  #heartbeat(): void {
    const now = performance.now();
    if (this.#wasReceiving && !this.isReceiving(now)) this.#lose();
    if (this.#subscriber.status === 'ready' && now - this.#lastMessage > SILENCE_MS) {
      this.#lastMessage = now;
      this.#subscriber.disconnect(true);
    }
    this.#events.onHeartbeat(now);
    this.#publish();
  }

  #publish(): void {
    const publisher = this.#publisher();
    if (publisher?.status !== 'ready') return;
    this.#sent += 1;
    publish(publisher, this.#channel, `${performance.now()} ${this.#sent}`).catch(() => {
      // Then it does not come back, which is all that counts.
    });
  }

  #receive(sentAt: number, number: number): void {
    const now = performance.now();
    const isNext = number === this.#received + 1;
    this.#received = number;
    const receivingUntil = sentAt + VALID_MS;
    if (receivingUntil <= now) return;
    // Asked of the clock and not of #wasReceiving: the proof may have run out since the last beat.
    if (!(isNext && this.isReceiving(now))) {
      this.#wasReceiving = true;
      this.#events.onConnected();
    }
    this.#receivingUntil = receivingUntil;
  }

  #lose(): void {
    this.#receivingUntil = Math.min(this.#receivingUntil, performance.now());
    if (!this.#wasReceiving) return;
    this.#wasReceiving = false;
    this.#events.onLost();
  }
}

/** Often enough to notice a failover behind an address that keeps connections open, in ms. */
const EPOCH_MS = 1_000;

/**
 * The epoch of the Redis behind one connection.
 *
 * A Redis that was killed may come back without its last second, and a replica that takes over may lack more: entries
 * that had been replaced or deleted are there again. So every entry names the epoch in which it was put, and only those
 * of the present one are used.
 *
 * The epoch is a digest of `master_replid`, which Redis changes by itself whenever that may have happened: with every start
 * of a primary, and with every failover, also back to a server that has gone on running. A replica has that of its
 * primary, whose data it has. So all processes agree without a message. Entries that are put with an outdated epoch are ignored, which costs a look-up
 * in Postgres and no more. On a cluster it is a digest of the ids of all primaries.
 */
export class Epoch {
  readonly #redis: Redis;
  readonly #changed: () => void;
  #known: string | undefined;
  /** On a cluster, the one before connections were lost: those to other nodes, and so memory, may have outlived them. */
  #before: string | undefined;
  #isReplica: boolean | undefined;
  /** Counts connections: an answer of one that has been lost says nothing of the next. */
  #connection = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** @param changed called when it changed without a loss of all connections */
  constructor(redis: Redis, changed: () => void = () => {}) {
    this.#redis = redis;
    this.#changed = changed;
    redis.on('ready', () => this.refresh(performance.now()));
    onConnectionLost(redis, () => {
      this.#connection += 1;
      if (redis instanceof RedisCluster) this.#before = this.#known ?? this.#before;
      this.#known = undefined;
      this.#askedAt = Number.NEGATIVE_INFINITY;
    });
  }

  /** `undefined` until it was asked for on the present connection. */
  get known(): string | undefined {
    return this.#known;
  }

  /** Whether it is a replica, to which nothing can be written; `undefined` until it was asked for. */
  get isReplica(): boolean | undefined {
    return this.#isReplica;
  }

  /** Asks for it once a second; to be called more often. */
  refresh(now: number): void {
    if (this.#redis.status !== 'ready' || now - this.#askedAt < EPOCH_MS) return;
    this.#askedAt = now;
    this.ask().catch(() => {
      // It stays as it is; when the connection is lost it is forgotten.
    });
  }

  /** @throws Error as the connection does */
  async ask(): Promise<string> {
    const connection = this.#connection;
    const { epoch, isReplica } = await epochIn(this.#redis);
    if (connection === this.#connection) {
      const before = this.#known ?? this.#before;
      this.#known = epoch;
      this.#isReplica = isReplica;
      if (before !== undefined && before !== epoch) this.#changed();
    }
    return epoch;
  }
}

async function epochIn(redis: Redis): Promise<{ epoch: string; isReplica: boolean }> {
  if (redis instanceof RedisCluster) {
    const { epoch } = await redis.topology.state();
    if (epoch === undefined) throw new Error('a primary of the Redis Cluster does not answer');
    return { epoch, isReplica: false };
  }
  const replication = await redis.info('replication');
  const id = /^master_replid:(\w+)/m.exec(replication)?.[1];
  if (id === undefined) throw new Error('INFO of Redis has no master_replid');
  return { epoch: digestOf(id), isReplica: /^role:slave/m.test(replication) };
}
