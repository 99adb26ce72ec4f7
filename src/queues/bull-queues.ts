import { type JobsOptions, Queue } from 'bullmq';
import { ownerOf, type Redis, type SingleRedis } from '../infra/redis.ts';
import { startSpan } from '../infra/tracing.ts';
import type { JobOrigin, QueueId } from './definition.ts';
import type { AnyJob } from './job.ts';
import { tagOf } from './shards.ts';

/** A job as BullMQ stores it. */
export interface Envelope extends JobOrigin {
  data: unknown;
  /** The span of the request that added it, if requests are traced. */
  trace?: string | undefined;
}

const DEAD_LETTERS = { age: 14 * 86_400, count: 10_000 };
/** Minutes for which queues count ended jobs. */
export const ACTIVITY_MINUTES = 60;

/** Returns the connection to the server of a queue. */
export const serverOf = (redis: Redis, queue: QueueId): SingleRedis => ownerOf(redis, tagOf(queue));

/** The Redis key of a job's hash. */
export const keyOf = (queue: QueueId, jobId: string) => `${tagOf(queue)}:${queue.name}:${jobId}`;

/** Prefix of the fields of a job's hash with data added by `extend`; BullMQ ignores them. */
export const FURTHER = 'further:';

/** The fields of a job's hash that `extend` added. */
export const furtherFields = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field.startsWith(FURTHER)));

/** The BullMQ options of a job. @param jobId absent: BullMQ numbers the job */
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

/** Starts a span of a job, if the request that caused it is traced. */
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

/** The BullMQ queues in one Redis. */
export class BullQueues {
  readonly #redis: Redis;
  readonly #queues = new Map<string, Queue>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Returns the connection to the server of a queue. */
  server(queueId: QueueId): SingleRedis {
    return serverOf(this.#redis, queueId);
  }

  /** Returns the BullMQ queue, which uses the connection of its server. */
  get(queueId: QueueId): Queue {
    const { name } = queueId;
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = new Queue(name, {
        connection: this.server(queueId),
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
