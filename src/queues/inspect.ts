import type { Job as BullJob, Queue } from 'bullmq';
import { kindOfId, timeOfId } from '../ids.ts';
import type { Redis } from '../infra/redis.ts';
import {
  ACTIVITY_MINUTES,
  BullQueues,
  type Envelope,
  furtherFields,
  keyOf,
} from './bull-queues.ts';
import type { QueueId } from './definition.ts';
import { queuesOf } from './shards.ts';

/** Number of jobs at either end of a list among which the oldest is searched. */
const CANDIDATES = 1_000;
/** States of jobs that have not ended. */
const UNFINISHED = ['waiting', 'prioritized', 'active', 'delayed'] as const;
/** Maximum number of jobs read in one pipeline. */
const JOBS_PER_READ = 1_000;

/** Reads a job that failed for good. */
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

/** A job as stored in Redis. */
export interface StoredJob {
  id: string;
  /** The fields of its hash. */
  fields: Readonly<Record<string, string>>;
}

const isFailed = ({ failedReason, finishedOn }: StoredJob['fields']): boolean =>
  failedReason !== undefined && finishedOn !== undefined;

/** Activity of a queue. */
export interface QueueActivity {
  completedLastHour: number;
  failedLastHour: number;
  workers: number;
}

const MINUTE_MS = 60_000;

/**
 * Counts the jobs that ended in the last hour. BullMQ moves counts to its list of minutes when the
 * next job ends, so the list ends with the minute before that of the last job.
 *
 * @param counts by minute, latest first
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

/** Reads and changes the contents of the queues in one Redis, for operators and backups. */
export class Inspector {
  readonly #redis: Redis;
  readonly #queues: BullQueues;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#queues = new BullQueues(redis);
  }

  /** Reads the state of a job and its workspace; `undefined` if the queue does not have it. */
  async stateOf(
    queue: QueueId,
    jobId: string,
  ): Promise<{ status: 'queued' | 'running' | 'failed'; projectId: string } | undefined> {
    const job = await this.#queues.get(queue).getJob(jobId);
    if (job === undefined) return undefined;
    const state = await job.getState();
    const { projectId } = job.data as Envelope;
    if (state === 'failed') return { status: 'failed', projectId };
    return { status: state === 'active' ? 'running' : 'queued', projectId };
  }

  /**
   * Counts jobs by state, for a queue and each of its shards by name. `prioritized` counts waiting
   * jobs of low priority.
   */
  async depths(queue: QueueId): Promise<Map<string, Record<string, number>>> {
    const depths = await this.#ofEach(queue, (bullQueue) =>
      bullQueue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    );
    return new Map(depths.map(([{ name }, counts]) => [name, counts]));
  }

  /** Counts jobs by state, for a queue with all its shards. */
  async depth(queue: QueueId): Promise<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const counts of (await this.depths(queue)).values()) {
      for (const [state, count] of Object.entries(counts)) sums[state] = (sums[state] ?? 0) + count;
    }
    return sums;
  }

  /**
   * Finds the oldest waiting or running job of a queue and its shards. The result is exact for up
   * to 2,000 waiting jobs and as many retried ones; beyond that it is the oldest among both ends of
   * each list.
   *
   * @returns its creation time, in ms since 1970; `undefined` if there is none
   */
  async oldestAt(queue: QueueId): Promise<number | undefined> {
    const lists = await this.#ofEach(queue, (bullQueue, place) => {
      const reads = this.#queues.server(place).pipeline();
      const [wait, delayed] = [bullQueue.toKey('wait'), bullQueue.toKey('delayed')];
      reads.lrange(wait, 0, CANDIDATES - 1).lrange(wait, -CANDIDATES, -1);
      reads.lrange(bullQueue.toKey('active'), 0, -1);
      reads.zrange(delayed, '0', String(CANDIDATES - 1)).zrange(delayed, String(-CANDIDATES), '-1');
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

  /**
   * Counts the jobs of a queue that ended in the last hour, by minute, and the processes that serve
   * it.
   */
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
      // Each process serves all shards.
      all.workers = Math.max(all.workers, workers);
    }
    return all;
  }

  /** Reads from a queue and each of its shards. */
  async #ofEach<Answer>(
    queue: QueueId,
    ask: (bullQueue: Queue, place: QueueId) => Promise<Answer>,
  ): Promise<[QueueId, Answer][]> {
    const queues = await queuesOf(this.#redis, queue);
    return Promise.all(
      queues.map(
        async (one): Promise<[QueueId, Answer]> => [one, await ask(this.#queues.get(one), one)],
      ),
    );
  }

  /** Reads the jobs of a queue that failed for good, the latest first. */
  async listFailed(queue: QueueId, limit: number): Promise<FailedJob[]> {
    const lists = await this.#ofEach(queue, (bullQueue) =>
      bullQueue.getJobs(['failed'], 0, limit - 1, false),
    );
    // A job that has been retried meanwhile is `undefined`.
    const jobs = lists.flatMap(([, list]) => list.filter((job) => job !== undefined));
    const failed = jobs.map((job) => toFailedJob(job));
    return failed
      .toSorted((one, other) => other.failedAt.getTime() - one.failedAt.getTime())
      .slice(0, limit);
  }

  /** Reads a job that failed for good. */
  async findFailed(queue: QueueId, jobId: string): Promise<FailedJob | undefined> {
    const job = await this.#failed(queue, jobId);
    return job === undefined ? undefined : toFailedJob(job);
  }

  /** Retries a job that failed for good. @returns false if there is none */
  async retryFailed(queue: QueueId, jobId: string): Promise<boolean> {
    return this.#end(await this.#failed(queue, jobId), (job) => job.retry('failed'));
  }

  /** Deletes a job that failed for good. @returns false if there is none */
  async discardFailed(queue: QueueId, jobId: string): Promise<boolean> {
    return this.#end(await this.#failed(queue, jobId), (job) => job.remove());
  }

  async #failed(queue: QueueId, jobId: string): Promise<BullJob | undefined> {
    const jobs = await this.#ofEach(queue, async (bullQueue) => {
      // The state is checked first, since other keys than jobs share the prefix of the queue.
      if ((await bullQueue.getJobState(jobId)) !== 'failed') return undefined;
      return bullQueue.getJob(jobId);
    });
    return jobs.find(([, job]) => job !== undefined)?.[1];
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
   * Reads the jobs of a queue that wait, run or have failed for good, while workers continue. Every
   * job that exists during the whole call is included, except those that the schedule or `wake`
   * added, since they come back by themselves.
   */
  async *storedJobs(queue: QueueId): AsyncGenerator<StoredJob, void, undefined> {
    for (const one of await queuesOf(this.#redis, queue)) yield* this.#storedJobs(one);
  }

  async *#storedJobs(queue: QueueId): AsyncGenerator<StoredJob, void, undefined> {
    const names = this.#queues.get(queue).toKey('');
    const options = { match: `${names}*`, type: 'hash', count: 1_000 };
    const server = this.#queues.server(queue);
    for await (const keys of server.scanStream(options) as AsyncIterable<string[]>) {
      const reads = server.pipeline();
      for (const key of keys) reads.hgetall(key);
      const replies = (await reads.exec()) ?? [];
      for (const [at, [error, value]] of replies.entries()) {
        if (error) throw error;
        const [id, fields] = [keys[at]!.slice(names.length), value as StoredJob['fields']];
        const isJob = fields['data'] !== undefined && fields['timestamp'] !== undefined;
        const comesAgain = id.startsWith('repeat:') || fields['deid'] !== undefined;
        if (isJob && (!comesAgain || isFailed(fields))) yield { id, fields };
      }
    }
  }

  /**
   * Reads the ids of jobs of a queue and its shards that have neither ended nor failed for good.
   *
   * @param isMeant selects among them
   */
  async unfinished(
    queue: QueueId,
    isMeant?: (name: string, data: unknown) => boolean,
  ): Promise<Set<string>> {
    const all = new Set<string>();
    for (const one of await queuesOf(this.#redis, queue)) {
      // One command, so that a job that changes its state is not missed.
      const ids = await this.#queues.get(one).getRanges([...UNFINISHED], 0, -1);
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
    const server = this.#queues.server(queue);
    const chosen: string[] = [];
    for (let from = 0; from < ids.length; from += JOBS_PER_READ) {
      const chunk = ids.slice(from, from + JOBS_PER_READ);
      const reads = server.pipeline();
      for (const id of chunk) reads.hmget(keyOf(queue, id), 'name', 'data');
      for (const [at, [error, fields]] of ((await reads.exec()) ?? []).entries()) {
        if (error) throw error;
        const [name, data] = fields as [string | null, string | null];
        // A missing job has ended.
        if (name === null || data === null) continue;
        if (isMeant(name, (JSON.parse(data) as Envelope).data)) chosen.push(chunk[at]!);
      }
    }
    return chosen;
  }

  /**
   * Puts jobs into a queue that no worker serves: jobs that failed for good become dead letters,
   * the others run.
   */
  async restoreJobs(queue: QueueId, jobs: readonly StoredJob[]): Promise<void> {
    const bullQueue = this.#queues.get(queue);
    const server = this.#queues.server(queue);
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
      // It may have run already, so the next run counts as a repeat.
      const attempts = Math.max(1, Number(atm));
      const kept = { name, data, opts, timestamp, delay: 0, priority: 0, atm: attempts };
      writes.hset(bullQueue.toKey(id), { ...kept, ats: attempts, ...furtherFields(fields) });
      writes.lpush(bullQueue.toKey('wait'), id);
    }
    // BullMQ numbers jobs without an id, and would take an existing number for the same job.
    const counter = bullQueue.toKey('id');
    if (lastNumber > Number((await server.get(counter)) ?? 0)) writes.set(counter, lastNumber);
    for (const [error] of (await writes.exec()) ?? []) if (error) throw error;
  }

  /** Deletes the contents of a queue. */
  async clear(queue: QueueId): Promise<void> {
    await this.#ofEach(queue, (bullQueue) => bullQueue.obliterate({ force: true }));
  }

  /** Closes the queues. Their connections stay open. */
  close(): Promise<void> {
    return this.#queues.close();
  }
}
