import { type JobsOptions, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { Refusal } from '../errors.ts';
import type { Log } from '../infra/log.ts';
import { deadLetters, jobSeconds } from '../infra/metrics.ts';
import { type Outcome, reply } from './replies.ts';

/*
 * The only file that knows BullMQ. A job travels like this:
 *
 *   producer.add ──▶ Redis ──▶ worker runs the handler ──▶ reply on the producer's own channel
 *
 * - A refusal (a taken key, say) is a result and ends the job; a fault is thrown and tried again.
 * - Jobs may run twice: a worker that dies loses its lock after LOCK_MS and another takes the job over.
 *   Handlers make their effects happen once (`jobs/once.ts`).
 * - Nothing is kept in Redis of a job that ended well: its durable result is a row in Postgres. A job that
 *   failed for good stays as a dead letter.
 */

/** A job as types only: what goes in and what comes out. */
export interface Job<Data, Result> {
  data: Data;
  result: Result;
}

/** What goes into a job. */
export type DataOf<J> = J extends { data: infer Data } ? Data : never;
/** What comes out of a job. */
export type ResultOf<J> = J extends { result: infer Result } ? Result : never;

type AnyJobs = Record<string, Job<unknown, unknown>>;

/** A queue: its name, and as types the jobs that it carries. Producer and worker both import it. */
export interface QueueDefinition<Jobs> {
  readonly name: string;
  readonly attempts: number;
  /** Whether jobs that failed for good stay as dead letters. */
  readonly keepFailed: boolean;
  /** Never set: carries the types. */
  readonly jobs?: Jobs;
}

/**
 * Names a queue and its jobs.
 *
 * @param attempts how often a job that meets faults is tried, waiting 250 ms, 500 ms, 1 s … (at most 15 s) in between
 * @param keepFailed false where a job's id must be free again after it failed
 */
export function defineQueue<Jobs extends { [K in keyof Jobs]: Job<unknown, unknown> }>(
  name: string,
  { attempts, keepFailed = true }: { attempts: number; keepFailed?: boolean },
): QueueDefinition<Jobs> {
  return { name, attempts, keepFailed };
}

interface Envelope {
  data: unknown;
  projectId: string;
  requestId?: string;
  replyTo?: string;
}

/** What a handler knows about the job it runs. */
export interface JobContext {
  jobId: string;
  /** The workspace for which the job runs; empty for the service's own jobs. */
  projectId: string;
  /** True when this job may have run before, in part or whole. */
  isRepeat: boolean;
  log: Log;
}

/** One function per job name of a queue. */
export type Handlers<Jobs> = {
  [K in keyof Jobs]: (data: DataOf<Jobs[K]>, job: JobContext) => Promise<ResultOf<Jobs[K]>>;
};

const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
const BACKOFF_MS = { first: 250, most: 15_000 };
const DEAD_LETTERS = { age: 14 * 86_400, count: 10_000 };

/** The hash tag keeps all keys of one queue on one node of a Redis Cluster. */
const prefixOf = (queue: string) => `{q-${queue}}`;

function jobOptions(
  { attempts, keepFailed }: QueueDefinition<unknown>,
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

/** Puts jobs on queues over one Redis connection. */
export class Producer {
  readonly #redis: Redis;
  readonly #queues = new Map<string, Queue>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  #queue({ name }: { name: string }): Queue {
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = new Queue(name, {
        connection: this.#redis,
        prefix: prefixOf(name),
        skipWaitingForReady: true,
        // Nobody reads BullMQ's event stream: workers reply on channels.
        streams: { events: { maxLen: 1 } },
      });
      queue.on('error', () => {});
      this.#queues.set(name, queue);
    }
    return queue;
  }

  /** Adds a job. Resolves when Redis has acknowledged it; rejects at once when Redis is away. */
  async add<Jobs, Name extends keyof Jobs & string>(
    queue: QueueDefinition<Jobs>,
    name: Name,
    data: DataOf<Jobs[Name]>,
    options: {
      jobId: string;
      projectId: string;
      requestId?: string;
      replyTo?: string;
      /** Taken only when no other job of the queue waits. */
      isLowPriority?: boolean;
    },
  ): Promise<void> {
    const { jobId, isLowPriority = false, ...rest } = options;
    const envelope: Envelope = { data, ...rest };
    await this.#queue(queue).add(name, envelope, {
      ...jobOptions(queue, jobId),
      // BullMQ takes jobs without a priority first.
      ...(isLowPriority ? { priority: 1 } : {}),
    });
  }

  /**
   * Adds a job unless one with the same subject waits already; while one runs, another follows it. So of the jobs of
   * one subject never two run at once.
   */
  async wake<Jobs, Name extends keyof Jobs & string>(
    queue: QueueDefinition<Jobs>,
    name: Name,
    data: DataOf<Jobs[Name]>,
    subject: string,
  ): Promise<void> {
    const envelope: Envelope = { data, projectId: '' };
    await this.#queue(queue).add(name, envelope, {
      ...jobOptions(queue),
      deduplication: { id: subject, keepLastIfActive: true },
    });
  }

  /**
   * Registers a job that runs every so many ms; one that is registered already is left alone, since to register it
   * anew would put its next run off.
   */
  async repeat(queue: QueueDefinition<unknown>, name: string, every: number): Promise<void> {
    const known = await this.#queue(queue).getJobScheduler(name);
    if (known?.every === every) return;
    const envelope: Envelope = { data: {}, projectId: '' };
    await this.#queue(queue).upsertJobScheduler(
      name,
      { every },
      {
        name,
        data: envelope,
        opts: jobOptions(queue),
      },
    );
  }

  /** Where a job stands, and for which workspace; `undefined` when the queue does not know it. */
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

  /** Number of jobs in a queue by state; `prioritized` are those of low priority that wait. */
  async depth(queue: { name: string }): Promise<Record<string, number>> {
    return this.#queue(queue).getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
  }

  /** Lets go of the queues; the connection stays its owner's. */
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
export interface WorkerDefinition {
  readonly queue: { readonly name: string };
  start(means: { redis: Redis; log: Log }): RunningWorker;
}

/** Joins a queue to the functions that do its jobs. A missing or misfit handler does not compile. */
export function serve<Jobs>(
  queue: QueueDefinition<Jobs>,
  handlers: Handlers<Jobs>,
  { concurrency }: { concurrency: number },
): WorkerDefinition {
  return {
    queue,
    start({ redis, log }) {
      const worker = new Worker(
        queue.name,
        async (job) => {
          const { data, projectId, requestId, replyTo } = job.data as Envelope;
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
          const stop = jobSeconds.startTimer({ queue: queue.name, job: job.name });
          const isRepeat = job.attemptsMade > 0 || job.attemptsStarted > 1;
          let outcome: Outcome;
          try {
            const result = await handler(data, { jobId, projectId, isRepeat, log: jobLog });
            outcome = { result };
            jobLog.debug({ seconds: stop({ outcome: 'done' }) }, 'job done');
          } catch (error) {
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
        },
        {
          connection: redis,
          prefix: prefixOf(queue.name),
          concurrency,
          lockDuration: LOCK_MS,
          stalledInterval: STALLED_CHECK_MS,
          // A job that outlives its worker is not at fault: hand it on as often as it takes.
          maxStalledCount: 1_000,
          settings: {
            backoffStrategy: (attempts) =>
              Math.min(BACKOFF_MS.first * 2 ** (attempts - 1), BACKOFF_MS.most),
          },
        },
      );
      worker.on('error', (error) => log.warn({ err: error }, 'worker lost Redis or a job lock'));
      worker.on('failed', (job, error) => {
        if (job === undefined) return;
        const fields = {
          queue: queue.name,
          job: job.name,
          jobId: job.id,
          attempt: job.attemptsMade,
        };
        if (job.attemptsMade < queue.attempts) {
          log.warn({ ...fields, err: error }, 'job failed, will be tried again');
          return;
        }
        deadLetters.inc({ queue: queue.name, job: job.name });
        log.error({ ...fields, err: error }, 'job failed for good');
        const { replyTo } = job.data as Envelope;
        if (replyTo !== undefined) {
          reply(redis, replyTo, job.id ?? '', { fault: true }).catch(() => {});
        }
      });
      return { close: () => worker.close() };
    },
  };
}
