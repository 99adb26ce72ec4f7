import type { Job as BullJob, Queue } from 'bullmq';
import { kindOfId, timeOfId } from '../ids.ts';
import type { Redis } from '../infra/redis.ts';
import {
  ACTIVITY_MINUTES,
  BullQueues,
  type Envelope,
  furtherFields,
  keyOf,
  serverOf,
} from './bull-queues.ts';
import type { QueueId } from './definition.ts';
import { queuesOf } from './shards.ts';

/** Jobs at either end of a list among which the oldest one is looked for. */
const LOOKED_AT = 1_000;
/** States of jobs that have not ended. */
const UNFINISHED = ['waiting', 'prioritized', 'active', 'delayed'] as const;
/** Most jobs that are read in one pipeline. */
const READ_AT_ONCE = 1_000;

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

/** Activity of a queue. */
export interface QueueActivity {
  completedLastHour: number;
  failedLastHour: number;
  workers: number;
}

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

/** Reads and changes what the queues of one Redis hold, for operators and backups. */
export class Inspector {
  readonly #redis: Redis;
  readonly #queues: BullQueues;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#queues = new BullQueues(redis);
  }

  /** The state of a job and its workspace; `undefined` if the queue does not have it. */
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

  /** Counts the jobs of a queue that ended in the last hour, to the minute, and the processes that take its jobs. */
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
        async (one): Promise<[QueueId, Answer]> => [one, await ask(this.#queues.get(one), one)],
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
    const names = this.#queues.get(queue).toKey('');
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
    const bullQueue = this.#queues.get(queue);
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

  /** Closes the queues. Their connections stay open. */
  close(): Promise<void> {
    return this.#queues.close();
  }
}
