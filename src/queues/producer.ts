import type { Redis, SingleRedis } from '../infra/redis.ts';
import { replicated, Unconfirmed } from '../infra/replicas.ts';
import { currentTrace } from '../infra/tracing.ts';
import {
  BullQueues,
  type Envelope,
  FURTHER,
  jobOptions,
  jobSpan,
  keyOf,
  serverOf,
} from './bull-queues.ts';
import type { JobOrigin, Keyed, QueueId } from './definition.ts';
import type { Job, ScheduledJob } from './job.ts';
import { ShardRecord, shardFor } from './shards.ts';

/** Difference of clocks at which a scheduled run is not yet taken for misplaced, in ms. */
const CLOCK_TOLERANCE_MS = 30_000;

/*
 * KEYS[1] a job   ARGV[1] field   ARGV[2] value
 * A worker that takes a job writes `processedOn` in the same step, and reads the fields after it.
 * Answers 1: the job waits, and has the field; 0: it has been taken before, or is not there.
 */
const EXTEND = `
local job = redis.call('HMGET', KEYS[1], 'timestamp', 'processedOn')
if not job[1] or job[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1`;

interface WithExtend {
  extendJob(key: string, field: string, value: string): Promise<number>;
}

/** Redis may have got a job, and has not said so, or too few of its replicas have: the job may run or not. */
export class Unacknowledged extends Error {}

/** Errors after which a command may be carried out all the same: no answer came, or the connection broke. */
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
  readonly #redis: Redis;
  readonly #queues: BullQueues;
  readonly #shards: ShardRecord;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#queues = new BullQueues(redis);
    this.#shards = new ShardRecord(redis);
  }

  /**
   * Adds a job, unless one with its id waits or runs. Resolves when Redis has acknowledged it; rejects at once when
   * Redis is away.
   *
   * @throws Unacknowledged when it isn't known whether the job was added
   */
  async add<Data>(
    job: Job<Data, unknown>,
    data: NoInfer<Data>,
    options: JobOrigin & {
      jobId: string;
      /** The shard of its queue that gets the job; by default the queue itself. */
      shard?: QueueId;
      /** Taken only when no other job of the queue waits. */
      isLowPriority?: boolean;
      /** Time until it may run. */
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
   * Lets `write` add jobs to a queue, and resolves when REDIS_WAIT_REPLICAS replicas have them.
   *
   * @throws Unacknowledged when it isn't known whether they have them; what `write` throws
   */
  async replicated<Result>(queue: QueueId, write: () => Promise<Result>): Promise<Result> {
    try {
      return await replicated(serverOf(this.#redis, queue), write);
    } catch (error) {
      if (!(error instanceof Unconfirmed)) throw error;
      throw new Unacknowledged(error.message, { cause: error.cause });
    }
  }

  /**
   * Adds data to a job that waits, which costs much less than a job of its own. Resolves when Redis has acknowledged it.
   *
   * @param shard the queue that has the job
   * @param part unique to this extension of the job
   * @returns false when a worker has taken the job already: the data needs another one
   * @throws Error for a job that is not extensible
   */
  async extend<Data>(
    { name, isExtensible = false }: Job<Data, unknown>,
    shard: QueueId,
    jobId: string,
    part: number,
    data: NoInfer<Data>,
  ): Promise<boolean> {
    if (!isExtensible) throw new Error(`jobs "${name}" cannot be extended`);
    const server = serverOf(this.#redis, shard);
    if (!('extendJob' in server)) {
      server.defineCommand('extendJob', { numberOfKeys: 1, lua: EXTEND });
    }
    const isExtended = await (server as SingleRedis & WithExtend).extendJob(
      keyOf(shard, jobId),
      `${FURTHER}${part}`,
      JSON.stringify(data),
    );
    return isExtended === 1;
  }

  /**
   * The Idempotency-Key of the request of a job that waits or runs; `undefined` where there is none.
   *
   * @throws Unacknowledged when Redis does not answer
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
    const wasReady = serverOf(this.#redis, queue).status === 'ready';
    try {
      return await act();
    } catch (cause) {
      if (!wasReady || !isUnacknowledged(cause)) throw cause;
      throw new Unacknowledged(`Redis has not acknowledged job ${jobId}`, { cause });
    }
  }

  /** A dead letter has changed nothing, and would keep a repeat of its request from being tried. */
  async #dropFailed(queue: QueueId, jobId: string): Promise<void> {
    const job = await this.#queues.get(queue).getJob(jobId);
    if (job === undefined || !(await job.isFailed())) return;
    // A repeat at the same instant may have replaced it, and its job runs.
    await job.remove().catch(() => {});
  }

  /**
   * Adds a job unless one with the same subject waits already; while one runs, another follows it. So of the jobs of
   * one subject never two run at once: they are all in the shard of the subject.
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
      /** The tenant in whose share of the slots it runs, where that is not the workspace. */
      tenant?: string;
      /** Time until it may run. */
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

  /**
   * Registers the jobs of a queue that run every so many ms, and removes other registrations. One that is registered
   * already is left alone, since to register it anew would put its next run off, unless that is later than its interval
   * allows: a worker whose clock was wrong has put it there.
   */
  async schedule(queue: QueueId, jobs: readonly ScheduledJob[]): Promise<void> {
    const bullQueue = this.#queues.get(queue);
    const known = await bullQueue.getJobSchedulers();
    for (const { key } of known) {
      if (!jobs.some(({ name }) => name === key)) await bullQueue.removeJobScheduler(key);
    }
    const envelope: Envelope = { data: {}, projectId: '' };
    // Not of this machine, whose clock may be the wrong one.
    const [seconds] = await serverOf(this.#redis, queue).time();
    for (const job of jobs) {
      const { name, everyMs } = job;
      const latest = Number(seconds) * 1_000 + everyMs + CLOCK_TOLERANCE_MS;
      const registered = known.find((one) => one.key === name && one.every === everyMs);
      if (registered !== undefined) {
        if (Number(registered.next) <= latest) continue;
        await bullQueue.removeJobScheduler(name);
      }
      await bullQueue.upsertJobScheduler(
        name,
        { every: everyMs },
        { name, data: envelope, opts: jobOptions(job) },
      );
    }
  }

  /** Closes the queues. Their connections stay open. */
  close(): Promise<void> {
    return this.#queues.close();
  }
}
