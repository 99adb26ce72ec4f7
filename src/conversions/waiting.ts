import { LRUCache } from 'lru-cache';
import { within } from '../infra/clock.ts';
import { queueRedis } from '../infra/redis.ts';
import { type Acceptor, Rounds } from '../queues/all-queued.ts';
import { type JobContext, Postponed, type QueueId } from '../queues/definition.ts';
import { clicks, writes } from '../queues/index.ts';
import { Inspector } from '../queues/inspect.ts';

/*
 * A lead needs its click, and a sale its click or lead. The event may be accepted and not stored yet: in a queue, or on the
 * disk of a process that Redis did not answer. Then the job of the later event is postponed, and the event is missing
 * only when everything that was accepted before the job's first run is stored:
 *
 *   first run ──▶ round begins ──▶ processes note it: all is in queues ──▶ jobs of that moment have ended
 *
 * One round serves all jobs of a process that began before it.
 */

/** Shortest time between two looks at a round, in ms. */
const LOOK_EVERY_MS = 500;
/** Longest time that a job, in its transaction, waits for Redis, in ms. */
const REDIS_MS = 2_000;
/** Delays of a job that is postponed for the first time, and at most, in ms. */
const DELAY_MS = { first: 1_000, most: 60_000 };
/** Most jobs whose round a process remembers. A forgotten one waits for another round. */
const MOST_JOBS = 100_000;

/** Where earlier events may be before they are stored. */
interface Source {
  acceptor: Acceptor;
  /** The queue of the jobs that store them. */
  queue: QueueId;
  /** True for a job that may store one; without it, all jobs of the queue may. */
  isMeant?(name: string, data: unknown): boolean;
}

/** Earlier events of one kind, which jobs wait for. */
class Predecessors {
  readonly #source: Source;
  #rounds: Rounds | undefined;
  #inspector: Inspector | undefined;
  /** Numbers, within this process, of the rounds that have begun and that are over. */
  #begun = 0;
  #over = 0;
  #current: { round: number; jobs?: Set<string> } | undefined;
  #look: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The round that each job waits for. */
  readonly #needed = new LRUCache<string, number>({ max: MOST_JOBS });

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * Resolves when an event that a job did not find just now will not come: a second look finds it, or nobody has it.
   *
   * @throws Postponed while it may come
   */
  async settled({ jobId, starts = 1 }: JobContext): Promise<void> {
    const needed = this.#needed.get(jobId) ?? this.#begun + 1;
    this.#needed.set(jobId, needed);
    if (needed > this.#over) {
      this.#look ??= this.#advance().finally(() => {
        this.#look = undefined;
      });
      // Redis is asked again when the job runs again.
      await within(REDIS_MS, this.#look, 'Redis').catch(() => {});
    }
    if (needed <= this.#over) {
      this.#needed.delete(jobId);
      return;
    }
    const delayMs = Math.min(DELAY_MS.first * 2 ** (starts - 1), DELAY_MS.most);
    throw new Postponed('an earlier event may not be stored yet', delayMs);
  }

  async #advance(): Promise<void> {
    const { acceptor, queue, isMeant } = this.#source;
    if (performance.now() - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#inspector ??= new Inspector(queueRedis());
    this.#rounds ??= new Rounds(queueRedis(), acceptor);
    if (this.#current === undefined) {
      // Jobs that come from now on wait for the next round.
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
    this.#lookedAt = performance.now();
  }
}

/** Visits that were answered. */
export const visits = new Predecessors({ acceptor: 'redirect', queue: clicks });

/** Leads that were accepted, and sales that record one. They wait for visits, never for each other. */
export const leads = new Predecessors({
  acceptor: 'api',
  queue: writes,
  isMeant: (name, data) => name === 'lead.track' || isSaleOfClick(name, data),
});

const isSaleOfClick = (name: string, data: unknown): boolean =>
  name === 'sale.track' && (data as { sale: { clickId: string | null } }).sale.clickId !== null;
