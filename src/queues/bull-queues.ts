import { type JobsOptions, Queue } from 'bullmq';
import { ownerOf, type Redis, type SingleRedis } from '../infra/redis.ts';
import { startSpan } from '../infra/tracing.ts';
import type { JobOrigin, QueueId } from './definition.ts';
import type { AnyJob } from './job.ts';
import { tagOf } from './shards.ts';

/** A job as BullMQ stores it. */
export interface Envelope extends JobOrigin {
  data: unknown;
  /** The span of the request that added it, where requests are traced. */
  trace?: string | undefined;
}

const DEAD_LETTERS = { age: 14 * 86_400, count: 10_000 };
/** Minutes for which queues count the jobs that ended. */
export const ACTIVITY_MINUTES = 60;

/** The connection to the server of a queue. */
export const serverOf = (redis: Redis, queue: QueueId): SingleRedis => ownerOf(redis, tagOf(queue));

/** The key of the hash of a job. */
export const keyOf = (queue: QueueId, jobId: string) => `${tagOf(queue)}:${queue.name}:${jobId}`;

/** Prefix of the fields of a job's hash that extend it; BullMQ ignores them. */
export const FURTHER = 'further:';

/** The fields by which a job was extended. */
export const furtherFields = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field.startsWith(FURTHER)));

/** The options of a job in BullMQ. @param jobId none: BullMQ numbers the job */
export function jobOptions(
  { attempts, queue: { keepFailed } }: AnyJob,
  jobId?: string,
): JobsOptions {
  return {
    ...(jobId === undefined ? {} : { jobId }),
    attempts,
    backoff: { type: 'custom' },
    removeOnComplete: true,
    removeOnFail: keepFailed ? DEAD_LETTERS : true,
  };
}

/** A span of a job; none where the request that caused it is not traced. */
export function jobSpan(
  kind: 'producer' | 'consumer',
  operation: string,
  job: { queue: { name: string }; name: string; jobId: string; parent: string | undefined },
) {
  if (job.parent === undefined) return undefined;
  return startSpan(`${operation} ${job.name}`, {
    kind,
    parent: job.parent,
    attributes: {
      'messaging.system': 'bullmq',
      'messaging.destination.name': job.queue.name,
      'messaging.operation.name': operation,
      'messaging.message.id': job.jobId,
    },
  });
}

/** BullMQ's queues in one Redis. */
export class BullQueues {
  readonly #redis: Redis;
  readonly #queues = new Map<string, Queue>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** The queue in BullMQ; it uses the connection of its server. */
  get(queueId: QueueId): Queue {
    const { name } = queueId;
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = new Queue(name, {
        connection: serverOf(this.#redis, queueId),
        prefix: tagOf(queueId),
        skipWaitingForReady: true,
        // BullMQ's event stream is unused: workers reply on channels.
        streams: { events: { maxLen: 1 } },
      });
      queue.on('error', () => {});
      this.#queues.set(name, queue);
    }
    return queue;
  }

  /** Closes the queues. Their connections stay open. */
  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }
}
