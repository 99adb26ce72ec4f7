import type { Redis } from '../infra/redis.ts';
import { replicated, Unconfirmed } from '../infra/replicas.ts';
import { currentTrace } from '../infra/tracing.ts';
import { BullQueues, type Envelope, jobOptions, jobSpan } from './bull-queues.ts';
import type { JobOrigin, Keyed, QueueId } from './definition.ts';
import type { Job } from './job.ts';
import { ShardRecord, shardFor } from './shards.ts';

/**
 * Thrown when Redis has not acknowledged a job, or too few replicas have: the job may run or not.
 */
export class Unacknowledged extends Error {}

/**
 * True for errors after which a command may still be carried out: no answer came, or the connection
 * broke.
 */
function isUnacknowledged(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ['Command timed out', 'Connection is closed.'].includes(error.message) ||
    error.name === 'MaxRetriesPerRequestError' ||
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes((error as NodeJS.ErrnoException).code ?? '')
  );
}

/** Adds jobs to the queues of one Redis. */
export class Producer {
  readonly #queues: BullQueues;
  readonly #shards: ShardRecord;

  constructor(redis: Redis) {
    this.#queues = new BullQueues(redis);
    this.#shards = new ShardRecord(redis);
  }

  /**
   * Adds a job, unless one with its id waits or runs. Resolves once Redis has acknowledged it;
   * rejects at once while Redis is down.
   *
   * @throws Unacknowledged if it is unknown whether the job was added
   */
  async add<Data>(
    job: Job<Data, unknown>,
    data: NoInfer<Data>,
    options: JobOrigin & {
      jobId: string;
      /** The shard that gets the job; absent: the queue itself. */
      shard?: QueueId;
      /** Starts only when no other job of the queue waits. */
      isLowPriority?: boolean;
      /** Time until it can run. */
      delayMs?: number;
    },
  ): Promise<void> {
    const { queue, name } = job;
    const { jobId, shard: place = queue, isLowPriority = false, delayMs = 0, ...rest } = options;
    const span = jobSpan('producer', 'add', { queue: place, name, jobId, parent: currentTrace() });
    const envelope: Envelope = { data, ...rest, trace: span?.context };
    let isFailed = true;
    try {
      await this.#acknowledged(place, jobId, async () => {
        await this.#shards.written(place);
        if (options.keyed !== undefined) await this.#dropFailed(place, jobId);
        await this.#queues.get(place).add(name, envelope, {
          ...jobOptions(job, jobId),
          ...(delayMs > 0 ? { delay: delayMs } : {}),
          // BullMQ takes jobs without a priority first.
          ...(isLowPriority ? { priority: 1 } : {}),
        });
      });
      isFailed = false;
    } finally {
      span?.end({ isFailed });
    }
  }

  /**
   * Runs `write`, which adds jobs to a queue, and resolves once REDIS_WAIT_REPLICAS replicas have
   * them.
   *
   * @throws Unacknowledged if it is unknown whether they have them; whatever `write` throws
   */
  async replicated<Result>(queue: QueueId, write: () => Promise<Result>): Promise<Result> {
    try {
      return await replicated(this.#queues.server(queue), write);
    } catch (error) {
      if (!(error instanceof Unconfirmed)) throw error;
      throw new Unacknowledged(error.message, { cause: error.cause });
    }
  }

  /**
   * Reads the Idempotency-Key of a waiting or running job; `undefined` if there is none.
   *
   * @throws Unacknowledged if Redis does not answer
   */
  async keyedOf(queue: QueueId, jobId: string): Promise<Keyed | undefined> {
    const job = await this.#acknowledged(queue, jobId, () => this.#queues.get(queue).getJob(jobId));
    return (job?.data as Envelope | undefined)?.keyed;
  }

  async #acknowledged<Result>(
    queue: QueueId,
    jobId: string,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const wasReady = this.#queues.server(queue).status === 'ready';
    try {
      return await act();
    } catch (cause) {
      if (!wasReady || !isUnacknowledged(cause)) throw cause;
      throw new Unacknowledged(`Redis has not acknowledged job ${jobId}`, { cause });
    }
  }

  /**
   * Deletes a dead letter, which has changed nothing and would keep a repeat of its request from
   * running.
   */
  async #dropFailed(queue: QueueId, jobId: string): Promise<void> {
    const job = await this.#queues.get(queue).getJob(jobId);
    if (job === undefined || !(await job.isFailed())) return;
    // A simultaneous repeat may have replaced it, and its job runs.
    await job.remove().catch(() => {});
  }

  /**
   * Adds a job unless one with the same subject waits; while one runs, another follows it. All jobs
   * of a subject are in the same shard, so two of them never run at once.
   */
  async wake<Data>(
    job: Job<Data, unknown>,
    data: NoInfer<Data>,
    {
      subject,
      projectId,
      tenant,
      delayMs = 0,
    }: {
      subject: string;
      projectId: string;
      /** Tenant whose share of the slots it uses, if not the workspace. */
      tenant?: string;
      /** Time until it can run. */
      delayMs?: number;
    },
  ): Promise<void> {
    const envelope: Envelope = { data, projectId, tenant };
    const { queue, name } = job;
    const place = queue.isSharded ? shardFor(queue, subject) : queue;
    await this.#shards.written(place);
    await this.#queues.get(place).add(name, envelope, {
      ...jobOptions(job),
      delay: delayMs,
      deduplication: { id: subject, keepLastIfActive: true },
    });
  }

  /** Closes the queues. Their connections stay open. */
  close(): Promise<void> {
    return this.#queues.close();
  }
}
