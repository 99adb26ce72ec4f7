import { LRUCache } from 'lru-cache';
import { within } from '../infra/clock.ts';
import { queueRedis } from '../infra/redis.ts';
import { type Acceptor, Rounds } from '../queues/all-queued.ts';
import { type JobContext, Postponed, type QueueId } from '../queues/definition.ts';
import { clicks, writes } from '../queues/index.ts';
import { Inspector } from '../queues/inspect.ts';
import type { NewLead, NewSale } from './jobs.ts';

/*
 * A lead needs its click, or an earlier event with the click of its customer; a sale its click or
 * lead; a refund its sale. That event may be accepted but not stored yet: in a queue, or on the disk
 * of a process that could not reach Redis. The job of the later event is then postponed, and the
 * earlier event only counts as missing when everything accepted before the job's first run is
 * stored:
 *
 *   first run ──▶ round begins ──▶ processes confirm that all is in queues
 *             ──▶ jobs of that moment have ended
 *
 * One round serves all jobs of a process that started before it.
 */

/** Minimum interval between two checks of a round, in ms. */
const CHECK_INTERVAL_MS = 500;
/** Time limit of the wait for Redis, in ms; the job waits in its transaction. */
const REDIS_MS = 2_000;
/** Delay of a job that is postponed, in ms: for the first time, and the maximum. */
const DELAY_MS = { first: 1_000, max: 60_000 };
/**
 * Maximum number of jobs whose round a process remembers. A forgotten job waits for another round.
 */
const MAX_JOBS = 100_000;

/** Place where earlier events may be before they are stored. */
interface Source {
  acceptor: Acceptor;
  /** Queue of the jobs that store them. */
  queue: QueueId;
  /** Returns true for a job that may store one; without it, any job of the queue may. */
  isMeant?(name: string, data: unknown): boolean;
}

/** Earlier events of one type, for which jobs wait. */
class Predecessors {
  readonly #source: Source;
  #rounds: Rounds | undefined;
  #inspector: Inspector | undefined;
  /** Numbers, within this process, of the latest round that has begun and that has ended. */
  #begun = 0;
  #over = 0;
  #current: { round: number; jobs?: Set<string> } | undefined;
  #check: Promise<void> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** Number of the round that each job waits for. */
  readonly #needed = new LRUCache<string, number>({ max: MAX_JOBS });

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * Resolves when an event that a job has just not found will not arrive anymore: a second look-up
   * either finds it, or it does not exist.
   *
   * @throws Postponed while it may arrive
   */
  async settled({ jobId, starts = 1 }: JobContext): Promise<void> {
    const needed = this.#needed.get(jobId) ?? this.#begun + 1;
    this.#needed.set(jobId, needed);
    if (needed > this.#over) {
      this.#check ??= this.#advance().finally(() => {
        this.#check = undefined;
      });
      // Redis is queried again when the job runs again.
      await within(REDIS_MS, this.#check, 'Redis').catch(() => {});
    }
    if (needed <= this.#over) {
      this.#needed.delete(jobId);
      return;
    }
    const delayMs = Math.min(DELAY_MS.first * 2 ** (starts - 1), DELAY_MS.max);
    throw new Postponed('an earlier event may not be stored yet', delayMs);
  }

  async #advance(): Promise<void> {
    const { acceptor, queue, isMeant } = this.#source;
    if (performance.now() - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#inspector ??= new Inspector(queueRedis());
    this.#rounds ??= new Rounds(queueRedis(), acceptor);
    if (this.#current === undefined) {
      // Jobs that arrive from now on wait for the next round.
      this.#begun += 1;
      this.#current = { round: await this.#rounds.begin() };
    } else if (this.#current.jobs === undefined) {
      const state = await this.#rounds.state(this.#current.round);
      if (state === 'unknown') this.#current.round = await this.#rounds.begin();
      if (state === 'acknowledged')
        this.#current.jobs = await this.#inspector.unfinished(queue, isMeant);
    } else {
      const unfinished = await this.#inspector.unfinished(queue);
      for (const id of this.#current.jobs) if (!unfinished.has(id)) this.#current.jobs.delete(id);
    }
    if (this.#current.jobs?.size === 0) {
      this.#current = undefined;
      this.#over = this.#begun;
    }
    this.#checkedAt = performance.now();
  }
}

/** Visits that were answered. */
export const visits = new Predecessors({ acceptor: 'redirect', queue: clicks });

/** Leads and sales with a click, which their customers keep. They wait for visits only. */
export const customersOfClicks = new Predecessors({
  acceptor: 'api',
  queue: writes,
  isMeant: (name, data) => isLeadOfClick(name, data) || isSaleOfClick(name, data),
});

/**
 * Leads that were accepted, and sales that record one. They wait for visits, and leads without a
 * click for those with one; never for a lead without a click.
 */
export const leads = new Predecessors({
  acceptor: 'api',
  queue: writes,
  isMeant: (name, data) => name === 'lead.track' || isSaleOfClick(name, data),
});

/** Sales that were accepted, for which refunds wait. */
export const sales = new Predecessors({
  acceptor: 'api',
  queue: writes,
  isMeant: (name) => name === 'sale.track',
});

const isLeadOfClick = (name: string, data: unknown): boolean =>
  name === 'lead.track' && (data as NewLead).lead.clickId !== undefined;

const isSaleOfClick = (name: string, data: unknown): boolean =>
  name === 'sale.track' && (data as NewSale).sale.clickId !== null;
