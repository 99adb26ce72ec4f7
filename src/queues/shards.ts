import { config } from '../config.ts';
import type { Redis } from '../infra/redis.ts';
import type { QueueDefinition, QueueId } from './definition.ts';

/*
 * A BullMQ queue is in one slot of a Redis Cluster, so it uses one core of one node. With
 * QUEUE_SHARDS=n the jobs of certain queues are spread over n further queues, the shards, in
 * different slots:
 *
 *   clicks   ──n = 1──▶ clicks
 *            ──n > 1──▶ clicks-1 … clicks-n      each job of visits goes to the next one
 *   webhooks ──n > 1──▶ webhooks-1 … webhooks-n  the jobs of a webhook go to the one of its id
 *
 * Jobs other than visits and deliveries (reports, calls of the API, the schedule) go to the queue
 * itself for any n.
 *
 * A producer records its shards in Redis before it uses them. Workers serve the queue itself, all
 * shards ever recorded, and the shards of their own n, so that jobs are found whatever n was when
 * they were added.
 */

/**
 * Suffixes of the hash tags of shards, which decide their slots. For every n, the first n are in n
 * different n-ths of all slots: a cluster of n nodes with equal shares of the slots has one on each
 * node, and with k · n shards k on each.
 */
const TAG_ENDS = [
  1868, 1332, 2562, 620, 272, 313, 860, 851, 668, 358, 973, 516, 1264, 833, 1890, 1838,
];

/** Maximum number of shards of a queue. */
export const MAX_SHARDS = TAG_ENDS.length;
/** Set of the numbers of all shards ever used. */
const RECORD = 'queue-shards';
/**
 * Interval at which a producer records its shards again, in ms, since an operator may have emptied
 * Redis, or a replica may have taken over without them.
 */
const RECORD_MS = 60_000;

/**
 * The hash tag, which keeps all keys of a queue on one node of a Redis Cluster. Shards with the
 * same number share a slot.
 */
export const tagOf = ({ name, shard }: QueueId): string =>
  shard === undefined ? `{q-${name}}` : `{q-shard-${shard}-${TAG_ENDS[shard - 1]}}`;

const shard = <Queue extends QueueId>(queue: Queue, number: number): Queue => ({
  ...queue,
  name: `${queue.name}-${number}`,
  shard: number,
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

/** The queues among which this process spreads jobs: the queue itself if QUEUE_SHARDS is 1. */
export function shardsOf(queue: QueueDefinition): QueueDefinition[] {
  const { QUEUE_SHARDS: count } = config();
  return count === 1 ? [queue] : numbers(count).map((number) => shard(queue, number));
}

/** The shard for all jobs of a subject. */
export function shardFor(queue: QueueDefinition, subject: string): QueueDefinition {
  const shards = shardsOf(queue);
  let hash = 0;
  for (const character of subject) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return shards[hash % shards.length]!;
}

/** A queue and all its shards that may have jobs. */
export async function queuesOf<Queue extends QueueId>(
  redis: Redis,
  queue: Queue,
): Promise<Queue[]> {
  if (queue.isSharded !== true) return [queue];
  const count = config().QUEUE_SHARDS;
  const used = new Set((await redis.smembers(RECORD)).map(Number));
  if (count > 1) for (const number of numbers(count)) used.add(number);
  const usable = [...used].filter((number) => number <= MAX_SHARDS).toSorted((a, b) => a - b);
  return [queue, ...usable.map((number) => shard(queue, number))];
}

/** Records the shards that a producer uses. */
export class ShardRecord {
  readonly #redis: Redis;
  #recorded: Promise<unknown> | undefined;
  #at = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Resolves once workers can know of the shard. @throws Error if Redis does not answer */
  async written({ shard: number }: QueueId): Promise<void> {
    if (number === undefined) return;
    const now = performance.now();
    if (this.#recorded === undefined || now - this.#at > RECORD_MS) {
      this.#at = now;
      const recording = this.#redis.sadd(RECORD, numbers(config().QUEUE_SHARDS));
      this.#recorded ??= recording;
      recording.catch(() => {
        if (this.#recorded === recording) this.#recorded = undefined;
      });
    }
    await this.#recorded;
  }
}
