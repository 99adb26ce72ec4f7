import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../infra/clock.ts';
import { ErrorLog } from '../infra/error-log.ts';
import type { Log } from '../infra/log.ts';
import { Spool } from '../infra/spool.ts';
import type { JobOrigin } from './definition.ts';
import { QUEUES, type QueueName } from './index.ts';
import type { Job } from './job.ts';
import { type Producer, Unacknowledged } from './producer.ts';

/*
 * Jobs on disk that were accepted but not acknowledged by Redis: a 202 is sent once Redis or the
 * disk has the job.
 *
 *   add ──no answer──▶ spooled, 202 ──Redis answers──▶ added with the same id
 *     ──acknowledged──▶ deleted from the spool
 *
 * Redis may have had the job all along. While it waits or runs there, a second one with the same id
 * is dropped; if it has ended, its row in Postgres makes the second run a repeat
 * (`jobs/run-idempotent.ts`).
 *
 * The spool of an ended process is adopted by the next API process on its machine, or by
 * worker_maintenance.
 */

/** Maximum number of jobs added at a time. */
const JOBS_PER_DELIVERY = 100;
/** Time limit for adding them, in ms. */
const REPLAY_MS = 5_000;
/**
 * Time limit for a write to the disk, in ms: a hanging disk is as bad as a full one. A busy disk
 * takes seconds.
 */
const SPOOL_MS = 10_000;
/** Time limit for a write to the disk while the process stops, in ms. */
const LAST_SPOOL_MS = 2_000;
/** Pause between two rounds of upkeep, in ms. */
const UPKEEP_MS = 1_000;
/** Time limit for a ping of Redis, in ms. */
const PROBE_MS = 1_000;
/** Time that Redis has left to acknowledge a job when the process is stopping, in ms. */
const LAST_MS = 500;

interface SpooledJob {
  /** Name of its queue. */
  queue: string;
  name: string;
  /** Absent in spools of 0.5 and earlier. */
  attempts?: number;
  data: unknown;
  options: JobOrigin & { jobId: string };
}

const nameOf = ({ options: { projectId, jobId } }: SpooledJob): string => `${projectId} ${jobId}`;

/** The spooled jobs of this process. */
export class JobSpool {
  readonly #spool: Spool<SpooledJob>;
  readonly #producer: Producer;
  readonly #probe: () => Promise<unknown>;
  readonly #log: Log;
  readonly #errors: ErrorLog;
  /** Jobs that this process has spooled and Redis has not acknowledged yet. */
  readonly #spooled = new Set<string>();
  /** True once the spools of ended processes have been searched for. */
  #hasLooked = false;
  /** Callbacks that end the wait of each request for Redis. */
  readonly #adding = new Set<() => void>();
  #isHurried = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param options.probe settles when Redis answers */
  constructor(
    producer: Producer,
    { folder, probe, log }: { folder: string; probe: () => Promise<unknown>; log: Log },
  ) {
    this.#producer = producer;
    this.#probe = probe;
    this.#log = log;
    this.#errors = new ErrorLog(log, 'jobs that Redis did not acknowledge were not spooled');
    this.#spool = new Spool({ folder, kind: 'jobs', perDelivery: JOBS_PER_DELIVERY, log });
  }

  /** Starts to add spooled jobs, by this process or ended ones. */
  start(): void {
    this.#scheduleUpkeep(0);
  }

  /**
   * True when every job that this process has accepted is in its queue, including those of ended
   * processes on this machine.
   */
  get isAllQueued(): boolean {
    return this.#hasLooked && !this.#spool.hasItems;
  }

  /** True for a job that this process has spooled, until Redis acknowledges it. */
  has(projectId: string, jobId: string): boolean {
    return this.#spooled.has(`${projectId} ${jobId}`);
  }

  /**
   * Settles with the addition of a job, or as soon as the process must answer.
   *
   * @throws Unacknowledged if that is earlier
   */
  async inTime<Result>(adding: Promise<Result>): Promise<Result> {
    let end = () => {};
    const limit = new Promise<never>((_, reject) => {
      end = () => void sleep(LAST_MS).then(() => reject(new Unacknowledged('the process stops')));
    });
    limit.catch(() => {});
    this.#adding.add(end);
    if (this.#isHurried) end();
    try {
      return await Promise.race([adding, limit]);
    } finally {
      this.#adding.delete(end);
    }
  }

  /** Ends all waiting for Redis, since the process is about to stop. */
  hurry(): void {
    this.#isHurried = true;
    for (const end of this.#adding) end();
  }

  /** True while the process stops. */
  get isHurried(): boolean {
    return this.#isHurried;
  }

  /** Resolves once a job is on disk. @throws Error if the disk does not accept it */
  async store<Data>(
    { queue, name, attempts }: Job<Data, unknown>,
    data: NoInfer<Data>,
    options: JobOrigin & { jobId: string },
  ): Promise<void> {
    const acceptedAt = Date.now();
    const job = { queue: queue.name, name, attempts, data, options: { ...options, acceptedAt } };
    if (this.#spooled.has(nameOf(job))) return;
    try {
      const limit = this.#isHurried ? LAST_SPOOL_MS : SPOOL_MS;
      await within(limit, this.#spool.append([job]), 'writing a job to the disk');
    } catch (error) {
      this.#errors.report(error);
      throw error;
    }
    this.#spooled.add(nameOf(job));
  }

  /** Waits for pending writes. Another process adds the remaining jobs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#errors.flush();
    await within(LAST_SPOOL_MS, this.#spool.close(), 'closing the spool').catch((err: unknown) =>
      this.#log.warn({ err }, 'the spool of jobs was not closed'),
    );
  }

  #scheduleUpkeep(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      void this.#runUpkeep().finally(() => this.#scheduleUpkeep(UPKEEP_MS));
    }, ms).unref();
  }

  async #runUpkeep(): Promise<void> {
    await this.#spool.maintain();
    this.#hasLooked = true;
    if (!this.#spool.hasItems) return;
    try {
      // Some connections queue every command until Redis answers.
      await within(PROBE_MS, this.#probe(), 'Redis');
      const count = await this.#spool.replay((jobs) => this.#add(jobs));
      if (count > 0) this.#log.info({ replayed: count }, 'spooled jobs were added to their queues');
    } catch (error) {
      this.#log.debug({ err: error }, 'Redis did not take spooled jobs');
    }
  }

  async #add(jobs: readonly SpooledJob[]): Promise<void> {
    const adding = Promise.all(
      jobs.map(async ({ queue: queueName, name, attempts, data, options }) => {
        const { queue } = QUEUES[queueName as QueueName];
        const job = { queue, name, attempts: attempts ?? queue.attempts };
        const add = () => this.#producer.add(job, data, options);
        await this.#producer.replicated(queue, add);
      }),
    );
    await within(REPLAY_MS, adding, 'adding spooled jobs');
    for (const job of jobs) this.#spooled.delete(nameOf(job));
  }
}
