import { onConnectionLost, type Redis, type SingleRedis } from '../infra/redis.ts';
import { onMessage, publish, subscribe } from '../infra/redis-channels.ts';
import { RedisCluster } from '../infra/redis-cluster.ts';
import { digestOf } from '../infra/redis-topology.ts';
import { CHANGED } from './codec.ts';

/*
 * Distinguishes valid copies of entries from outdated ones: copies in memory are valid while
 * invalidations arrive, copies in Redis if they are of the present epoch.
 * `docs/decisions/0003-lookup-cache.md` gives the reasons.
 */

const HEARTBEAT_MS = 250;
/**
 * Time for which a received heartbeat proves that all earlier invalidations have arrived, in ms.
 */
const VALID_MS = 1_000;
/** Time after which a silent subscriber counts as disconnected without notice, in ms. */
const SILENCE_MS = 5_000;

/** Callbacks of an {@link InvalidationMonitor}. */
export interface InvalidationEvents {
  /** Called with the names of changed entries, as in `codec.ts`. */
  onChanged(names: string[]): void;
  /** Called when invalidations arrive (again); some may have been missed before. */
  onConnected(): void;
  /** Called when invalidations may no longer arrive. */
  onLost(): void;
  /** Called at every heartbeat. */
  onHeartbeat(now: number): void;
}

/**
 * Monitors whether invalidations reach this process.
 *
 *   lost ──a heartbeat comes back──▶ receiving
 *   receiving ──none for VALID_MS, or the subscriber's connection closes──▶ lost
 *
 * A heartbeat is the present time, published on a channel of this process and received on the
 * connection that receives invalidations. Messages keep their order, so a heartbeat proves the
 * arrival of everything published before it. The time in it counts, not that of its arrival, so
 * that a slow connection is no proof. Heartbeats are numbered, since a resynchronized replica has
 * the data of its primary but missed the messages in between.
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
   * @param publisher returns the connection to the Redis on which changes are announced, once it is
   *   known: the primary, if the subscriber is connected to a replica
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

  /**
   * Time of the loss, on the clock of `performance.now()`; meaningful only while none are received.
   */
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
    // One command, so that no heartbeat can arrive before invalidations do.
    subscribe(this.#subscriber, CHANGED, this.#channel).then(
      () => this.#publish(),
      () => {
        // The connection broke again; the next one subscribes. Until then no heartbeat arrives.
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
      // The lost heartbeat does not come back, which is all that counts.
    });
  }

  #receive(sentAt: number, number: number): void {
    const now = performance.now();
    const isNext = number === this.#received + 1;
    this.#received = number;
    const receivingUntil = sentAt + VALID_MS;
    if (receivingUntil <= now) return;
    // Checked by the clock and not by #wasReceiving, since the proof may have expired after the
    // last heartbeat.
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

/**
 * Interval short enough to notice a failover behind an address that keeps connections open, in ms.
 */
const EPOCH_MS = 1_000;

/**
 * The epoch of the Redis behind one connection.
 *
 * A Redis that was killed may come back without its last second, and a promoted replica may lack
 * more: entries that had been replaced or deleted are back. So every entry names the epoch in which
 * it was put, and only entries of the present epoch are used.
 *
 * The epoch is a digest of `master_replid`, which Redis itself changes whenever data may have been
 * lost: at every start of a primary and at every failover, even back to a server that kept running.
 * A replica has the value of its primary. So all processes agree without a message. Entries that
 * are put with an outdated epoch are ignored, which costs one look-up in Postgres. On a cluster the
 * epoch is a digest of the ids of all primaries.
 */
export class Epoch {
  readonly #redis: Redis;
  readonly #changed: () => void;
  #known: string | undefined;
  /**
   * On a cluster, the epoch before connections were lost: connections to other nodes, and thus
   * memory, may have survived.
   */
  #before: string | undefined;
  #isReplica: boolean | undefined;
  /** Number of connections so far: an answer on a lost connection says nothing about the next. */
  #connection = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** @param changed called if the epoch changed without a loss of all connections */
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

  /** The epoch; `undefined` until it has been read on the present connection. */
  get known(): string | undefined {
    return this.#known;
  }

  /** True for a replica, which cannot be written; `undefined` until it has been read. */
  get isReplica(): boolean | undefined {
    return this.#isReplica;
  }

  /** Reads the epoch, at most once a second. */
  refresh(now: number): void {
    if (this.#redis.status !== 'ready' || now - this.#askedAt < EPOCH_MS) return;
    this.#askedAt = now;
    this.ask().catch(() => {
      // The epoch stays as it is; a lost connection clears it.
    });
  }

  /** Reads the epoch. @throws Error as the connection does */
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
