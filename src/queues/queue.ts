import { setTimeout as pause } from 'node:timers/promises';
import {
  Job as BullJob,
  DelayedError,
  type JobsOptions,
  Queue,
  UnrecoverableError,
  Worker,
} from 'bullmq';
import { Refusal } from '../errors.ts';
import { kindOfId, timeOfId } from '../ids.ts';
import { isLockTimeout } from '../infra/db.ts';
import type { IfMatch } from '../infra/etag.ts';
import type { Log } from '../infra/log.ts';
import { deadLetters, jobSeconds } from '../infra/metrics.ts';
import { ownerOf, type Redis, type SingleRedis } from '../infra/redis.ts';
import { replicated, Unconfirmed } from '../infra/replicas.ts';
import { Seldom } from '../infra/seldom.ts';
import { currentTrace, startSpan, withinSpan } from '../infra/tracing.ts';
import { type Outcome, reply } from './replies.ts';
import { type QueueId, queuesOf, ShardRecord, shardFor, shardsOf, tagOf } from './shards.ts';
import { CALL_MS, Slots } from './slots.ts';

/*
 * The only file that knows BullMQ. A job travels like this:
 *
 *   producer.add ──▶ Redis ──▶ worker runs the handler ──▶ reply on the producer's own channel
 *
 * - A refusal (a taken key, say) is a result and ends the job; a fault is thrown and tried again.
 * - Jobs may run twice: a worker that dies loses its lock after LOCK_MS and another takes the job over.
 *   Handlers make their effects happen once (`jobs/run-idempotent.ts`).
 * - One tenant cannot fill the slots of a worker (`slots.ts`): its further jobs wait until some of its own have ended.
 * - Nothing is kept in Redis of a job that ended well: its durable result is a row in Postgres. A job that
 *   failed for good stays as a dead letter.
 */

/** A job as types only: what goes in and what comes out. */
export interface Job<Data, Result> {
  data: Data;
  result: Result;
}

/** The input of a job. */
export type DataOf<J> = J extends { data: infer Data } ? Data : never;
/** The result of a job. */
export type ResultOf<J> = J extends { result: infer Result } ? Result : never;

type AnyJobs = Record<string, Job<unknown, unknown>>;

/** A queue: its name, and as types the jobs that it carries. Producer and worker both import it. */
export interface QueueDefinition<Jobs> {
  readonly name: string;
  readonly attempts: number;
  /** Of jobs that are tried more or less often than the others, by name. */
  readonly attemptsOf: Readonly<Record<string, number | undefined>>;
  /** Longest pause before another attempt, in ms. */
  readonly longestPauseMs: number;
  /** True if jobs that failed for good are kept as dead letters. */
  readonly keepFailed: boolean;
  /** Names of the jobs that may be extended while they wait (`Producer.extend`). */
  readonly extensible: readonly string[];
  /** True if QUEUE_SHARDS spreads its jobs (`shards.ts`). */
  readonly isSharded: boolean;
  /** The number of a shard; `undefined` for the queue itself. */
  readonly shard?: number;
  /** Never set: carries the types. */
  readonly jobs?: Jobs;
}

/**
 * Names a queue and its jobs.
 *
 * @param attempts how often a job that meets faults is tried, waiting 250 ms, 500 ms, 1 s … (at most `longestPauseMs`) in
 *   between
 * @param attemptsOf the same, of jobs that differ from the others
 * @param keepFailed false where a job's id must be free again after it failed
 * @param extensible names of the jobs that may be extended while they wait
 * @param isSharded true where QUEUE_SHARDS spreads its jobs
 */
export function defineQueue<Jobs extends { [K in keyof Jobs]: Job<unknown, unknown> }>(
  name: string,
  {
    attempts,
    attemptsOf = {},
    longestPauseMs = 15_000,
    keepFailed = true,
    extensible = [],
    isSharded = false,
  }: {
    attempts: number;
    attemptsOf?: { [K in keyof Jobs]?: number };
    longestPauseMs?: number;
    keepFailed?: boolean;
    extensible?: (keyof Jobs & string)[];
    isSharded?: boolean;
  },
): QueueDefinition<Jobs> {
  return { name, attempts, attemptsOf, longestPauseMs, keepFailed, extensible, isSharded };
}

/** The Idempotency-Key of a job's request. */
export interface Keyed {
  /** Keyed hash of the contents of the request. */
  fingerprint: string;
  /** Tells the request from its repeats. */
  request: string;
}

/** The person, and the API key if there was one, for whom a job writes. */
export interface Actor {
  userId: string;
  apiKeyId?: string;
}

/** The request that a job is done for. */
export interface JobOrigin {
  projectId: string;
  /** On whose share of the slots the job runs, where that is not its workspace. */
  tenant?: string;
  requestId?: string;
  actor?: Actor | undefined;
  replyTo?: string;
  keyed?: Keyed | undefined;
  ifMatch?: IfMatch | undefined;
  /** When the job was accepted, where it is added later than that: milliseconds since 1970. */
  acceptedAt?: number | undefined;
}

interface Envelope extends JobOrigin {
  data: unknown;
  /** The span of the request that added it, where requests are traced. */
  trace?: string;
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

/** The context of a running job. */
export interface JobContext {
  jobId: string;
  /** The number of the shard that it was taken from; `undefined` for the queue itself. */
  shard?: number | undefined;
  /** The workspace for which the job runs; empty for the service's own jobs. */
  projectId: string;
  /** The data by which a job was extended while it waited, in no order. */
  further?: readonly unknown[];
  /** Name and data of the job, for the audit log; `undefined` where the service runs a command by itself. */
  task?: { name: string; data: unknown };
  actor?: Actor | undefined;
  /** True when this job may have run before, in part or whole. */
  isRepeat: boolean;
  /** Number of times that a worker has taken the job, this one included; `undefined` where the service runs a command by itself. */
  starts?: number;
  /** The request had an Idempotency-Key: an earlier job of the same id may have been its own. */
  keyed?: Keyed | undefined;
  /** The state of the record that the write is meant for (`refuseChanged`). */
  ifMatch?: IfMatch | undefined;
  /** When the job was accepted, where it was added later than that: milliseconds since 1970. */
  acceptedAt?: number | undefined;
  log: Log;
}

/** One function per job name of a queue. */
export type Handlers<Jobs> = {
  [K in keyof Jobs]: (data: DataOf<Jobs[K]>, job: JobContext) => Promise<ResultOf<Jobs[K]>>;
};

/** Thrown by a handler that cannot do its job at the moment: it is run again soon, which does not count as an attempt. */
export class Postponed extends Error {
  readonly delayMs: number;

  /** @param delayMs time until the job is run again */
  constructor(message: string, delayMs = POSTPONED_MS) {
    super(message);
    this.delayMs = delayMs;
  }
}

/** Thrown by a handler whose job no further attempt can do: it becomes a dead letter at once. */
export class Hopeless extends UnrecoverableError {}

/** Delay of a job that was postponed, or timed out waiting for a lock of the database, in ms. */
const POSTPONED_MS = 2_000;
const LOCK_MS = 10_000;
/** Difference of clocks at which a scheduled run is not yet taken for misplaced, in ms. */
const CLOCK_TOLERANCE_MS = 30_000;
const STALLED_CHECK_MS = 5_000;
const FIRST_PAUSE_MS = 250;
/** Longest time for which a worker without jobs in hand waits for Redis when it closes. */
const CLOSE_MS = 2_000;
const CLOSE_CHECK_MS = 100;
/** Interval at which a worker looks for shards that other processes use, in ms. */
const NEW_SHARDS_MS = 5_000;
/** Longest delay before a job over its tenant's share requests a slot again, in ms. */
const PARKED_MS = 15_000;
/** Jobs at either end of a list among which the oldest one is looked for. */
const LOOKED_AT = 1_000;
const DEAD_LETTERS = { age: 14 * 86_400, count: 10_000 };

/** The connection to the server of a queue. */
export const serverOf = (redis: Redis, queue: QueueId): SingleRedis => ownerOf(redis, tagOf(queue));

/** The key of the hash of a job. */
const keyOf = (queue: QueueId, jobId: string) => `${tagOf(queue)}:${queue.name}:${jobId}`;

/** States of jobs that have not ended. */
const UNFINISHED = ['waiting', 'prioritized', 'active', 'delayed'] as const;
/** Most jobs that are read in one pipeline. */
const READ_AT_ONCE = 1_000;

/** Prefix of the fields of a job's hash that extend it; BullMQ ignores them. */
const FURTHER = 'further:';

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

function jobOptions(
  { attempts, attemptsOf, keepFailed }: QueueDefinition<unknown>,
  name: string,
  jobId?: string,
): JobsOptions {
  return {
    ...(jobId === undefined ? {} : { jobId }),
    attempts: attemptsOf[name] ?? attempts,
    backoff: { type: 'custom' },
    removeOnComplete: true,
    removeOnFail: keepFailed ? DEAD_LETTERS : true,
  };
}

/** A job that failed for good. */
export interface FailedJob {
  jobId: string;
  job: string;
  projectId: string;
  requestId: string | null;
  attempts: number;
  failedAt: Date;
  error: string;
  stack: string;
  data: unknown;
}

function toFailedJob(job: BullJob): FailedJob {
  const { projectId, requestId = null, data } = job.data as Envelope;
  return {
    jobId: job.id ?? '',
    job: job.name,
    projectId,
    requestId,
    attempts: job.attemptsMade,
    failedAt: new Date(job.finishedOn ?? job.timestamp),
    error: job.failedReason ?? '',
    stack: job.stacktrace?.at(-1) ?? '',
    data,
  };
}

/** A job as Redis holds it. */
export interface StoredJob {
  id: string;
  /** Of its hash. */
  fields: Readonly<Record<string, string>>;
}

const isFailed = ({ failedReason, finishedOn }: StoredJob['fields']): boolean =>
  failedReason !== undefined && finishedOn !== undefined;

/** The fields by which a job was extended. */
const furtherFields = (fields: StoredJob['fields']): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field.startsWith(FURTHER)));

/** Activity of a queue. */
export interface QueueActivity {
  completedLastHour: number;
  failedLastHour: number;
  workers: number;
}

/** Minutes for which queues count the jobs that ended. */
const ACTIVITY_MINUTES = 60;
const MINUTE_MS = 60_000;

/**
 * Number of jobs that ended in the last hour. BullMQ moves counts to its list of minutes when the next job ends, so that
 * the list ends with the minute before that of the last job.
 *
 * @param counts by the minute, the latest first
 */
function endedSince(
  meta: { count: number; prevTS: number; prevCount: number },
  counts: readonly number[],
  now: number,
): number {
  const age = Math.floor(now / MINUTE_MS) - Math.floor(meta.prevTS / MINUTE_MS);
  if (Number.isNaN(age) || age >= ACTIVITY_MINUTES) return 0;
  const kept = counts.slice(0, Math.max(0, ACTIVITY_MINUTES - 1 - age));
  return kept.reduce((sum, count) => sum + count, meta.count - meta.prevCount);
}

/** A span of a job; none where the request that caused it is not traced. */
function jobSpan(
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

/** Puts jobs on queues of one Redis. */
export class Producer {
  readonly #redis: Redis;
  readonly #queues = new Map<string, Queue>();
  readonly #shards: ShardRecord;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#shards = new ShardRecord(redis);
  }

  #queue(queueId: QueueId): Queue {
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

  /**
   * Adds a job, unless one with its id waits or runs. Resolves when Redis has acknowledged it; rejects at once when
   * Redis is away.
   *
   * @throws Unacknowledged when it isn't known whether the job was added
   */
  async add<Jobs, Name extends keyof Jobs & string>(
    queue: QueueDefinition<Jobs>,
    name: Name,
    data: DataOf<Jobs[Name]>,
    options: JobOrigin & {
      jobId: string;
      /** Taken only when no other job of the queue waits. */
      isLowPriority?: boolean;
      /** Time until it may run. */
      delayMs?: number;
    },
  ): Promise<void> {
    const { jobId, isLowPriority = false, delayMs = 0, ...rest } = options;
    const span = jobSpan('producer', 'add', { queue, name, jobId, parent: currentTrace() });
    const envelope: Envelope = { data, ...rest, ...(span && { trace: span.context }) };
    let isFailed = true;
    try {
      await this.#acknowledged(queue, jobId, async () => {
        await this.#shards.written(queue);
        if (options.keyed !== undefined) await this.#dropFailed(queue, jobId);
        await this.#queue(queue).add(name, envelope, {
          ...jobOptions(queue, name, jobId),
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
   * @param part unique to this extension of the job
   * @returns false when a worker has taken the job already: the data needs another one
   */
  async extend<Jobs, Name extends keyof Jobs & string>(
    queue: QueueDefinition<Jobs>,
    jobId: string,
    part: number,
    data: DataOf<Jobs[Name]>,
  ): Promise<boolean> {
    const server = serverOf(this.#redis, queue);
    if (!('extendJob' in server)) {
      server.defineCommand('extendJob', { numberOfKeys: 1, lua: EXTEND });
    }
    const isExtended = await (server as SingleRedis & WithExtend).extendJob(
      keyOf(queue, jobId),
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
    const job = await this.#acknowledged(queue, jobId, () => this.#queue(queue).getJob(jobId));
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
    const job = await this.#queue(queue).getJob(jobId);
    if (job === undefined || !(await job.isFailed())) return;
    // A repeat at the same instant may have replaced it, and its job runs.
    await job.remove().catch(() => {});
  }

  /**
   * Adds a job unless one with the same subject waits already; while one runs, another follows it. So of the jobs of
   * one subject never two run at once: they are all in the shard of the subject.
   */
  async wake<Jobs, Name extends keyof Jobs & string>(
    queue: QueueDefinition<Jobs>,
    name: Name,
    data: DataOf<Jobs[Name]>,
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
    const envelope: Envelope = { data, projectId, ...(tenant === undefined ? {} : { tenant }) };
    const place = queue.isSharded ? shardFor(queue, subject) : queue;
    await this.#shards.written(place);
    await this.#queue(place).add(name, envelope, {
      ...jobOptions(queue, name),
      delay: delayMs,
      deduplication: { id: subject, keepLastIfActive: true },
    });
  }

  /**
   * Registers the jobs of a queue that run every so many ms, and removes other registrations. One that is registered
   * already is left alone, since to register it anew would put its next run off, unless that is later than its interval
   * allows: a worker whose clock was wrong has put it there.
   */
  async schedule(
    queue: QueueDefinition<unknown>,
    jobs: readonly { job: string; every: number }[],
  ): Promise<void> {
    const bullQueue = this.#queue(queue);
    const known = await bullQueue.getJobSchedulers();
    for (const { key } of known) {
      if (!jobs.some(({ job }) => job === key)) await bullQueue.removeJobScheduler(key);
    }
    const envelope: Envelope = { data: {}, projectId: '' };
    // Not of this machine, whose clock may be the wrong one.
    const [seconds] = await serverOf(this.#redis, queue).time();
    for (const { job, every } of jobs) {
      const latest = Number(seconds) * 1_000 + every + CLOCK_TOLERANCE_MS;
      const registered = known.find((one) => one.key === job && one.every === every);
      if (registered !== undefined) {
        if (Number(registered.next) <= latest) continue;
        await bullQueue.removeJobScheduler(job);
      }
      await bullQueue.upsertJobScheduler(
        job,
        { every },
        { name: job, data: envelope, opts: jobOptions(queue, job) },
      );
    }
  }

  /** The state of a job and its workspace; `undefined` if the queue does not have it. */
  async stateOf(
    queue: QueueDefinition<unknown>,
    jobId: string,
  ): Promise<{ status: 'queued' | 'running' | 'failed'; projectId: string } | undefined> {
    const job = await this.#queue(queue).getJob(jobId);
    if (job === undefined) return undefined;
    const state = await job.getState();
    const { projectId } = job.data as Envelope;
    if (state === 'failed') return { status: 'failed', projectId };
    return { status: state === 'active' ? 'running' : 'queued', projectId };
  }

  /** Number of jobs by state, of a queue and of each of its shards by name; `prioritized` are those of low priority that wait. */
  async depths(queue: QueueId): Promise<Map<string, Record<string, number>>> {
    const depths = await this.#ofEach(queue, (bullQueue) =>
      bullQueue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    );
    return new Map(depths.map(([{ name }, counts]) => [name, counts]));
  }

  /** The same of a queue with all its shards. */
  async depth(queue: QueueId): Promise<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const counts of (await this.depths(queue)).values()) {
      for (const [state, count] of Object.entries(counts)) sums[state] = (sums[state] ?? 0) + count;
    }
    return sums;
  }

  /**
   * Finds the oldest job that waits or runs, of a queue and its shards. Exact for up to 2,000 jobs that wait and as many that
   * are retried; of more, the oldest of those at both ends of either list.
   *
   * @returns its creation time, in ms since 1970; `undefined` where there is none
   */
  async oldestAt(queue: QueueId): Promise<number | undefined> {
    const lists = await this.#ofEach(queue, (bullQueue, place) => {
      const reads = serverOf(this.#redis, place).pipeline();
      const [wait, delayed] = [bullQueue.toKey('wait'), bullQueue.toKey('delayed')];
      reads.lrange(wait, 0, LOOKED_AT - 1).lrange(wait, -LOOKED_AT, -1);
      reads.lrange(bullQueue.toKey('active'), 0, -1);
      reads.zrange(delayed, '0', String(LOOKED_AT - 1)).zrange(delayed, String(-LOOKED_AT), '-1');
      return reads.exec();
    });
    const times = lists.flatMap(([, answers]) =>
      (answers ?? []).flatMap(([error, ids]) => {
        if (error) throw error;
        return (ids as string[]).filter((id) => kindOfId(id) === 'job').map(timeOfId);
      }),
    );
    return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
  }

  /** How many jobs of a queue ended in the last hour, to the minute, and how many processes take its jobs. */
  async activity(queue: QueueId): Promise<QueueActivity> {
    const activities = await this.#ofEach(queue, async (bullQueue) => {
      const ended = async (how: 'completed' | 'failed') => {
        const { meta, data } = await bullQueue.getMetrics(how, 0, ACTIVITY_MINUTES - 1);
        return endedSince(meta, data, Date.now());
      };
      return Promise.all([ended('completed'), ended('failed'), bullQueue.getWorkersCount()]);
    });
    const all: QueueActivity = { completedLastHour: 0, failedLastHour: 0, workers: 0 };
    for (const [, [completed, failed, workers]] of activities) {
      all.completedLastHour += completed;
      all.failedLastHour += failed;
      // Each process takes the jobs of all shards.
      all.workers = Math.max(all.workers, workers);
    }
    return all;
  }

  /** Asks a queue and each of its shards. */
  async #ofEach<Answer>(
    queue: QueueId,
    ask: (bullQueue: Queue, place: QueueId) => Promise<Answer>,
  ): Promise<[QueueId, Answer][]> {
    const queues = await queuesOf(this.#redis, queue);
    return Promise.all(
      queues.map(
        async (one): Promise<[QueueId, Answer]> => [one, await ask(this.#queue(one), one)],
      ),
    );
  }

  /** Jobs of a queue that failed for good, the latest first. */
  async listFailed(queue: QueueId, limit: number): Promise<FailedJob[]> {
    const lists = await this.#ofEach(queue, (bullQueue) =>
      bullQueue.getJobs(['failed'], 0, limit - 1, false),
    );
    // One that has been retried meanwhile is `undefined`.
    const jobs = lists.flatMap(([, list]) => list.filter((job) => job !== undefined));
    const failed = jobs.map((job) => toFailedJob(job));
    return failed
      .toSorted((one, other) => other.failedAt.getTime() - one.failedAt.getTime())
      .slice(0, limit);
  }

  /** A job that failed for good. */
  async findFailed(queue: QueueId, jobId: string): Promise<FailedJob | undefined> {
    const job = await this.#failed(queue, jobId);
    return job === undefined ? undefined : toFailedJob(job);
  }

  /** Lets a job that failed for good run once more. @returns false where there is none */
  async retryFailed(queue: QueueId, jobId: string): Promise<boolean> {
    return this.#end(await this.#failed(queue, jobId), (job) => job.retry('failed'));
  }

  /** Deletes a job that failed for good. @returns false where there is none */
  async discardFailed(queue: QueueId, jobId: string): Promise<boolean> {
    return this.#end(await this.#failed(queue, jobId), (job) => job.remove());
  }

  async #failed(queue: QueueId, jobId: string): Promise<BullJob | undefined> {
    const found = await this.#ofEach(queue, async (bullQueue) => {
      // Asked for first: not every key under the name of a queue is that of a job.
      if ((await bullQueue.getJobState(jobId)) !== 'failed') return undefined;
      return bullQueue.getJob(jobId);
    });
    return found.find(([, job]) => job !== undefined)?.[1];
  }

  async #end(job: BullJob | undefined, act: (job: BullJob) => Promise<void>): Promise<boolean> {
    if (job === undefined) return false;
    try {
      await act(job);
      return true;
    } catch (error) {
      // Another request may have been quicker.
      if (await job.isFailed()) throw error;
      return false;
    }
  }

  /**
   * The jobs of a queue that wait, run or have failed for good. Each that is there during the whole call is among them, while
   * workers go on; those that the schedule or `wake` added are left out, since they come again by themselves.
   */
  async *storedJobs(queue: QueueId): AsyncGenerator<StoredJob, void, undefined> {
    for (const one of await queuesOf(this.#redis, queue)) yield* this.#storedJobs(one);
  }

  async *#storedJobs(queue: QueueId): AsyncGenerator<StoredJob, void, undefined> {
    const names = this.#queue(queue).toKey('');
    const options = { match: `${names}*`, type: 'hash', count: 1_000 };
    const server = serverOf(this.#redis, queue);
    for await (const keys of server.scanStream(options) as AsyncIterable<string[]>) {
      const reads = server.pipeline();
      for (const key of keys) reads.hgetall(key);
      const found = (await reads.exec()) ?? [];
      for (const [at, [error, value]] of found.entries()) {
        if (error) throw error;
        const [id, fields] = [keys[at]!.slice(names.length), value as StoredJob['fields']];
        const isJob = fields['data'] !== undefined && fields['timestamp'] !== undefined;
        const comesAgain = id.startsWith('repeat:') || fields['deid'] !== undefined;
        if (isJob && (!comesAgain || isFailed(fields))) yield { id, fields };
      }
    }
  }

  /**
   * Ids of the jobs of a queue and its shards that have neither ended nor failed for good.
   *
   * @param isMeant chooses among them
   */
  async unfinished(
    queue: QueueId,
    isMeant?: (name: string, data: unknown) => boolean,
  ): Promise<Set<string>> {
    const all = new Set<string>();
    for (const one of await queuesOf(this.#redis, queue)) {
      // In one step: a job that moves from one state to another is not missed.
      const ids = await this.#queue(one).getRanges([...UNFINISHED], 0, -1);
      const chosen = isMeant === undefined ? ids : await this.#chosen(one, ids, isMeant);
      for (const id of chosen) all.add(id);
    }
    return all;
  }

  async #chosen(
    queue: QueueId,
    ids: readonly string[],
    isMeant: (name: string, data: unknown) => boolean,
  ): Promise<string[]> {
    const server = serverOf(this.#redis, queue);
    const chosen: string[] = [];
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const part = ids.slice(from, from + READ_AT_ONCE);
      const reads = server.pipeline();
      for (const id of part) reads.hmget(keyOf(queue, id), 'name', 'data');
      for (const [at, [error, fields]] of ((await reads.exec()) ?? []).entries()) {
        if (error) throw error;
        const [name, data] = fields as [string | null, string | null];
        // A job that is gone has ended.
        if (name === null || data === null) continue;
        if (isMeant(name, (JSON.parse(data) as Envelope).data)) chosen.push(part[at]!);
      }
    }
    return chosen;
  }

  /** Puts jobs into a queue that no worker serves: those that failed for good among its dead letters, the others to run. */
  async restoreJobs(queue: QueueId, jobs: readonly StoredJob[]): Promise<void> {
    const bullQueue = this.#queue(queue);
    const server = serverOf(this.#redis, queue);
    const writes = server.pipeline();
    let lastNumber = 0;
    for (const { id, fields } of jobs) {
      if (/^\d+$/.test(id)) lastNumber = Math.max(lastNumber, Number(id));
      if (isFailed(fields)) {
        writes.hset(bullQueue.toKey(id), fields);
        writes.zadd(bullQueue.toKey('failed'), fields['finishedOn']!, id);
        continue;
      }
      const { name = '', data = '', opts = '', timestamp = '', atm = '0' } = fields;
      // It may have run: so the next run counts as a repeat.
      const attempts = Math.max(1, Number(atm));
      const kept = { name, data, opts, timestamp, delay: 0, priority: 0, atm: attempts };
      writes.hset(bullQueue.toKey(id), { ...kept, ats: attempts, ...furtherFields(fields) });
      writes.lpush(bullQueue.toKey('wait'), id);
    }
    // BullMQ numbers jobs without an id, and takes a number that is there for the same job.
    const counter = bullQueue.toKey('id');
    if (lastNumber > Number((await server.get(counter)) ?? 0)) writes.set(counter, lastNumber);
    for (const [error] of (await writes.exec()) ?? []) if (error) throw error;
  }

  /** Deletes everything of a queue. */
  async clear(queue: QueueId): Promise<void> {
    await this.#ofEach(queue, (bullQueue) => bullQueue.obliterate({ force: true }));
  }

  /** Lets go of the queues; connections stay their owner's. */
  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }
}

/** A worker that takes jobs. */
export interface RunningWorker {
  /** Takes no further jobs and resolves when those in hand have ended. */
  close(): Promise<void>;
}

/** A queue with its handlers: all that a worker process adds to `workers/main.ts`. */
export interface WorkerDefinition<Jobs = unknown> {
  readonly queue: QueueDefinition<Jobs>;
  readonly handlers: Handlers<Jobs>;
  /** @param means.concurrency jobs that run at once; those of one tenant get a share of it */
  start(options: { redis: Redis; log: Log; concurrency: number }): RunningWorker;
}

/** Joins a queue to the functions that do its jobs. A missing handler, or one of another type, does not compile. */
export function serve<Jobs>(
  queue: QueueDefinition<Jobs>,
  handlers: Handlers<Jobs>,
): WorkerDefinition<Jobs> {
  return {
    queue,
    handlers,
    start({ redis, log, concurrency }) {
      // An alert on an increase would miss the first, were it also the first sample.
      for (const name of Object.keys(handlers)) {
        deadLetters.inc({ queue: queue.name, job_name: name }, 0);
      }
      const startOn = (place: QueueId, share: number) =>
        startWorker(queue, handlers, {
          redis,
          log,
          concurrency: Math.ceil(concurrency / share),
          place,
        });
      return queue.isSharded ? serveShards(redis, queue, startOn) : startOn(queue, 1);
    },
  };
}

/**
 * Serves a queue and its shards, also those that are used later.
 *
 * @param start takes as its second argument the number of queues among which the slots are divided
 */
function serveShards<Jobs>(
  redis: Redis,
  queue: QueueDefinition<Jobs>,
  start: (place: QueueId, share: number) => RunningWorker,
): RunningWorker {
  const workers = new Map<string, RunningWorker>();
  const startAll = (places: readonly QueueId[], share: number) => {
    for (const place of places) {
      if (!workers.has(place.name)) workers.set(place.name, start(place, share));
    }
  };
  const own = shardsOf(queue);
  startAll([queue, ...own], own.length);
  let isClosed = false;
  const look = async () => {
    const places = await queuesOf(redis, queue);
    if (!isClosed) startAll(places, places.length);
  };
  const lookAgain = () => void look().catch(() => {});
  lookAgain();
  const timer = setInterval(lookAgain, NEW_SHARDS_MS).unref();
  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
      await Promise.all([...workers.values()].map((worker) => worker.close()));
    },
  };
}

/** @param means.place the queue itself or one of its shards */
function startWorker<Jobs>(
  queue: QueueDefinition<Jobs>,
  handlers: Handlers<Jobs>,
  {
    redis,
    log,
    concurrency,
    place,
  }: { redis: Redis; log: Log; concurrency: number; place: QueueId },
): RunningWorker {
  const slots = new Slots(concurrency);
  const server = serverOf(redis, place);
  /** Lets parked jobs return. */
  const call = (jobIds: string[]): void => {
    for (const jobId of jobIds) {
      new BullJob(worker, '', undefined, {}, jobId)
        .promote()
        .catch(() => call(slots.forget(jobId)));
    }
    // If other processes took all of them, no job of this process may end or arrive to have the next ones called.
    if (jobIds.length > 0) setTimeout(() => call(slots.callAgain()), CALL_MS + 1).unref();
  };
  let inHand = 0;
  const worker: Worker = new Worker(
    place.name,
    async (job, token) => {
      const { projectId, tenant = projectId } = job.data as Envelope;
      const jobId = job.id ?? '';
      // Parking counts as a start, and not as an attempt.
      const wasParked = job.attemptsStarted > job.attemptsMade + 1;
      if (!slots.enter(tenant, jobId, wasParked)) {
        try {
          await job.moveToDelayed(Date.now() + PARKED_MS, token);
        } catch (error) {
          call(slots.drop(tenant, jobId));
          throw error;
        }
        call(slots.park(tenant, jobId));
        throw new DelayedError();
      }
      inHand += 1;
      try {
        await run(job);
      } catch (error) {
        if (!(error instanceof Postponed || isLockTimeout(error))) throw error;
        log.info({ queue: queue.name, job: job.name, jobId, err: error }, 'job was postponed');
        const { delayMs } = error instanceof Postponed ? error : { delayMs: POSTPONED_MS };
        await job.moveToDelayed(Date.now() + delayMs, token);
        throw new DelayedError();
      } finally {
        inHand -= 1;
        call(slots.leave(tenant));
      }
    },
    {
      connection: server,
      prefix: tagOf(place),
      concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      metrics: { maxDataPoints: ACTIVITY_MINUTES },
      runRetryDelay: FIRST_PAUSE_MS,
      // A job that outlives its worker is not at fault: hand it on as often as it takes.
      maxStalledCount: 1_000,
      settings: {
        backoffStrategy: (attempts) =>
          Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), queue.longestPauseMs),
      },
    },
  );
  const run = async (job: BullJob): Promise<void> => {
    const { data, projectId, requestId, actor, replyTo, keyed, ifMatch, acceptedAt, trace } =
      job.data as Envelope;
    const { name } = job;
    const jobId = job.id ?? '';
    const jobLog = log.child({
      queue: queue.name,
      job: job.name,
      jobId,
      projectId,
      requestId,
    });
    const handler = (handlers as Handlers<AnyJobs>)[job.name];
    if (handler === undefined) throw new Error(`no handler for job "${job.name}"`);
    const further = queue.extensible.includes(name)
      ? Object.values(furtherFields(await server.hgetall(keyOf(place, jobId))))
      : [];
    const stop = jobSeconds.startTimer({ queue: queue.name, job_name: job.name });
    const isRepeat = job.attemptsMade > 0 || job.attemptsStarted > 1;
    const span = jobSpan('consumer', 'process', { queue, name, jobId, parent: trace });
    let outcome: Outcome;
    try {
      const request = { task: { name, data }, actor, keyed, ifMatch, acceptedAt };
      const context = {
        jobId,
        shard: place.shard,
        projectId,
        isRepeat,
        starts: job.attemptsStarted,
        ...request,
        ...(further.length > 0 && { further: further.map((text) => JSON.parse(text)) }),
        log: jobLog,
      };
      const result = await withinSpan(span, () => handler(data, context));
      span?.end();
      outcome = { result };
      jobLog.debug({ seconds: stop({ outcome: 'done' }) }, 'job done');
    } catch (error) {
      span?.end({ isFailed: !(error instanceof Refusal) });
      if (!(error instanceof Refusal)) {
        stop({ outcome: 'fault' });
        throw error;
      }
      outcome = { refused: error.toJSON() };
      jobLog.debug(
        { seconds: stop({ outcome: 'refused' }), refused: outcome.refused },
        'job refused',
      );
    }
    if (replyTo !== undefined) await reply(redis, replyTo, jobId, outcome);
  };
  worker.on('error', (error) =>
    log.warn({ err: error }, 'a worker lost its connection to Redis, or the lock of a job'),
  );
  // A job of the schedule may fail for days, such as one that fetches where there is no network.
  const problems = new Seldom();
  worker.on('completed', ({ name, data }) => {
    const isOver = (data as Envelope).projectId === '' && problems.end(name);
    if (isOver) log.info({ queue: queue.name, job: name }, 'a job that had failed succeeded');
  });
  worker.on('failed', (job, error) => {
    if (job === undefined) return;
    const { projectId } = job.data as Envelope;
    const isLogged = projectId !== '' || problems.isDue(job.name, error.message);
    const fields = {
      queue: queue.name,
      job: job.name,
      jobId: job.id,
      attempt: job.attemptsMade,
    };
    const isTriedAgain = job.attemptsMade < (job.opts.attempts ?? queue.attempts);
    if (isTriedAgain && !(error instanceof Hopeless)) {
      if (isLogged) log.warn({ ...fields, err: error }, 'job failed and was scheduled for a retry');
      return;
    }
    deadLetters.inc({ queue: queue.name, job_name: job.name });
    if (isLogged) log.error({ ...fields, err: error }, 'job failed for good');
    const { replyTo } = job.data as Envelope;
    if (replyTo !== undefined) {
      reply(redis, replyTo, job.id ?? '', { fault: true }).catch(() => {});
    }
  });
  return { close: () => closeWorker(worker, () => inHand) };
}

/**
 * Closes a worker once no handler runs. While Redis is away BullMQ never does: the worker is then left to the end of the
 * process, and a job whose end Redis does not know runs again.
 *
 * @param inHand the number of handlers that run
 */
async function closeWorker(worker: Worker, inHand: () => number): Promise<void> {
  const closed = worker.close().then(() => true);
  closed.catch(() => {});
  for (let idleSince = performance.now(); ; ) {
    const isClosed = await Promise.race([closed, pause(CLOSE_CHECK_MS, false)]);
    if (inHand() > 0) idleSince = performance.now();
    if (isClosed || performance.now() - idleSince > CLOSE_MS) return;
  }
}
