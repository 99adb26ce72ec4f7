import { within } from '../infra/clock.ts';
import type { Log } from '../infra/log.ts';
import { visitsRecorded } from '../infra/metrics.ts';
import type { Visit } from '../queues/clicks.ts';
import { type Deliver, type Spool, VISITS_PER_JOB } from './spool.ts';

/*
 * Makes visits safe before they are answered. Visits are gathered for a moment and become one job: until a turn
 * of the event loop brings no further one, at most `batchMs`. So a lone visit waits for nobody, and under load a
 * batch grows with what arrives: a job costs the same for one visit as for a hundred.
 *
 *   up ──a batch fails, or takes longer than QUEUE_MS──▶ down
 *   down ──a probe succeeds, and the first spooled visits are acknowledged──▶ up
 *
 * While the queue is down, batches go to the spool at once. A batch that timed out is spooled although Redis
 * may have it: visits have ids, and the worker stores each once.
 */

const QUEUE_MS = 500;
const REPLAY_MS = 2_000;
const CARE_MS = { up: 5_000, down: 200 };

interface Batch {
  visits: Visit[];
  safe: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
  /** When it goes off at the latest, on the clock of `performance.now()`. */
  until: number;
}

/** What a visit log works with. */
export interface VisitLogMeans {
  /** Adds one job to the queue. */
  deliver: Deliver;
  /** Settles soon; rejects while Redis does not answer. */
  probe(): Promise<unknown>;
  spool: Spool;
  /** How long visits are gathered at most, in ms. */
  batchMs: number;
  log: Log;
}

const madeSafe = {
  queue: visitsRecorded.labels('queue'),
  spool: visitsRecorded.labels('spool'),
};

/** See the top of the file. */
export class VisitLog {
  readonly #means: VisitLogMeans;
  #gathering: Batch | undefined;
  readonly #sending = new Set<Promise<void>>();
  #isUp = false;
  #isClosed = false;
  /** The care that is going on, or the timer of the next one. */
  #caring: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(means: VisitLogMeans) {
    this.#means = means;
  }

  /** Finds out whether the queue works and begins to replay what an earlier process left. */
  async start(): Promise<void> {
    await this.#means.probe().then(
      () => {
        this.#isUp = true;
      },
      (error: unknown) => this.#means.log.warn({ err: error }, 'visits go to the spool'),
    );
    this.#careIn(0);
  }

  /** Resolves when the visit is safe; rejects when neither the queue nor the disk took it. */
  record(visit: Visit): Promise<void> {
    const batch = this.#gathering ?? this.#open();
    batch.visits.push(visit);
    if (batch.visits.length >= VISITS_PER_JOB) this.#send(batch);
    return batch.safe;
  }

  /** Makes everything that was recorded safe. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#gathering !== undefined) this.#send(this.#gathering);
    await Promise.all(this.#sending);
    await this.#means.spool.close();
    await this.#caring;
  }

  #open(): Batch {
    const batch: Batch = {
      visits: [],
      safe: Promise.resolve(),
      resolve() {},
      reject() {},
      until: performance.now() + this.#means.batchMs,
    };
    batch.safe = new Promise((resolve, reject) => {
      batch.resolve = resolve;
      batch.reject = reject;
    });
    this.#gathering = batch;
    setImmediate(() => this.#watch(batch, 0));
    return batch;
  }

  /** Once in a turn of the event loop. */
  #watch(batch: Batch, sizeBefore: number): void {
    const size = batch.visits.length;
    if (size === sizeBefore || performance.now() >= batch.until) this.#send(batch);
    else setImmediate(() => this.#watch(batch, size));
  }

  #send(batch: Batch): void {
    if (this.#gathering !== batch) return;
    this.#gathering = undefined;
    const sending = this.#makeSafe(batch.visits)
      .finally(() => this.#sending.delete(sending))
      .then(batch.resolve, batch.reject);
    this.#sending.add(sending);
  }

  async #makeSafe(visits: Visit[]): Promise<void> {
    if (this.#isUp) {
      try {
        await within(QUEUE_MS, this.#means.deliver(visits), 'adding visits to the queue');
        madeSafe.queue.inc(visits.length);
        return;
      } catch (error) {
        this.#goDown(error);
      }
    }
    await this.#means.spool.append(visits);
    madeSafe.spool.inc(visits.length);
  }

  #goDown(error: unknown): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#means.log.warn({ err: error }, 'the queue does not take visits, they go to the spool');
    if (this.#caring === undefined) this.#careIn(CARE_MS.down);
  }

  #careIn(ms: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#caring = this.#care().then(() => {
        this.#caring = undefined;
        this.#careIn(this.#isUp ? CARE_MS.up : CARE_MS.down);
      });
    }, ms);
  }

  /** Probes the queue, and replays what is spooled. */
  async #care(): Promise<void> {
    const { probe, spool, log } = this.#means;
    const wasUp = this.#isUp;
    try {
      await spool.tend();
      if (!wasUp) await probe();
      const count = spool.hasVisits ? await spool.replay((visits) => this.#replay(visits)) : 0;
      this.#isUp = true;
      if (!wasUp) log.info({ replayed: count }, 'the queue takes visits again');
      else if (count > 0) log.info({ replayed: count }, 'spooled visits were replayed');
    } catch (error) {
      this.#goDown(error);
    }
  }

  async #replay(visits: Visit[]): Promise<void> {
    await within(REPLAY_MS, this.#means.deliver(visits), 'replaying visits');
    // The queue has just taken a job: what comes in now need not wait for the end of the replay.
    this.#isUp = true;
  }
}
