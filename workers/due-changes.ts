import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../src/ids.ts';
import { ErrorLog } from '../src/infra/error-log.ts';
import type { Log } from '../src/infra/log.ts';
import type { Redis } from '../src/infra/redis.ts';
import { linkJobs } from '../src/links/jobs.ts';
import { qrCodeJobs } from '../src/qrcodes/jobs.ts';
import { Producer } from '../src/queues/producer.ts';
import { claimDue, type DueRecord, forgetClaims } from '../src/short-links/apply-scheduled.ts';

/** Interval at which due changes are searched, in ms. */
const EVERY_MS = 250;

const JOBS = { link: linkJobs['link.apply'], qrcode: qrCodeJobs['qrcode.apply'] };

/**
 * Queues jobs that apply due changes of links and QR codes, until it is closed. The process that
 * runs the jobs searches for them, so that neither the schedule in Redis nor another process can
 * delay them.
 */
export class DueChanges {
  readonly #producer: Producer;
  readonly #errors: ErrorLog;
  readonly #closing = new AbortController();

  constructor(redis: Redis, log: Log) {
    this.#producer = new Producer(redis);
    this.#errors = new ErrorLog(log, 'due changes were not queued');
    void this.#run();
  }

  /** Stops the search. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#producer.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    // Earlier claims may be of jobs that were not added, or were lost with Redis.
    let mustForget = true;
    while (!signal.aborted) {
      try {
        if (mustForget) await forgetClaims();
        const isMore = await this.#queueDue();
        mustForget = false;
        if (isMore) continue;
      } catch (error) {
        mustForget = true;
        if (!signal.aborted) this.#errors.report(error);
      }
      await pause(EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** @returns true if other changes may be due */
  async #queueDue(): Promise<boolean> {
    const { due, isMore } = await claimDue();
    await Promise.all(due.map((record) => this.#add(record)));
    return isMore;
  }

  #add({ project_id: projectId, record_id: id, kind }: DueRecord): Promise<void> {
    return this.#producer.add(JOBS[kind], { id }, { jobId: newId('job'), projectId });
  }
}
