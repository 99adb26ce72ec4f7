import { Timeout, within } from '../infra/clock.ts';
import { ErrorLog } from '../infra/error-log.ts';
import type { Log } from '../infra/log.ts';
import { visitsRecorded } from '../infra/metrics.ts';
import type { Deliver, Spool } from '../infra/spool.ts';
import type { Visit } from '../visits/visit.ts';
import { HeldVisits, VISITS_PER_BATCH } from './spool.ts';

/*
 * Makes visits safe before they are answered, by group commit. A single visit is sent to the queue
 * at the end of the turn of the event loop. While a batch is being sent, further visits gather in
 * the next one. So nobody waits for a timer, and batches grow under load: a hundred visits cost
 * little more than one.
 *
 *   up ──a batch fails, or takes longer than QUEUE_MS──▶ down
 *   down ──a probe succeeds, and the first held visits are acknowledged──▶ up
 *
 * While the queue is down, batches go to the spool at once. A batch that timed out is spooled
 * although Redis may have it: visits have ids, and the worker stores each once.
 *
 * Visitors are answered even if counting fails: visits that the disk does not accept either are
 * held in bounded memory, and go to whichever accepts them first. While any are held, batches that
 * the queue does not accept are held too.
 */

/** Time limit for adding a job, in ms. Its visits are then spooled. */
const QUEUE_MS = 500;
/** Time limit for a write to the disk, in ms: a hanging disk is as bad as a full one. */
const SPOOL_MS = 2_000;
/** Time limit for adding a job of spooled visits, in ms. */
const REPLAY_MS = 2_000;
/**
 * Time limit for upkeep to wait for a replay, which continues on its own. It fails earlier if the
 * queue accepts no visits.
 */
const REPLAY_WAIT_MS = SPOOL_MS + REPLAY_MS;
/** Pause between two rounds of upkeep, in ms, while the queue is up and down. */
const UPKEEP_MS = { up: 5_000, down: 200 };

interface Batch {
  visits: Visit[];
  /** Callbacks for when the visits are safe. */
  settled: (() => void)[];
}

/** Dependencies and settings of a visit log. */
export interface VisitLogOptions {
  /** Adds one job to the queue. */
  deliver: Deliver<Visit>;
  /** Settles soon; rejects while Redis does not answer. */
  probe(): Promise<unknown>;
  spool: Spool<Visit>;
  /** Limit of memory for visits that neither queue nor disk accepts, in characters of JSON. */
  heldCharacters?: number;
  log: Log;
}

/** Time limit for delivering held visits when the process ends, in ms. */
const LAST_MS = 5_000;

const madeSafe = {
  queue: visitsRecorded.labels('queue'),
  spool: visitsRecorded.labels('spool'),
};

/** Makes visits safe; see the top of the file. */
export class VisitLog {
  readonly #options: VisitLogOptions;
  readonly #held: HeldVisits;
  readonly #heldErrors: ErrorLog;
  readonly #lostErrors: ErrorLog;
  /** Error of the last failed write to the disk. */
  #cause: unknown;
  /** Number of writes that timed out and are still running. */
  #unfinished = 0;
  /**
   * True while the spool is maintained or replayed. With a hanging disk that never ends, and
   * nothing further starts.
   */
  #isSpoolBusy = false;
  #gathering: Batch | undefined;
  readonly #sending = new Set<Promise<void>>();
  #isUp = false;
  #isClosed = false;
  /** True once the spools of ended processes have been searched for. */
  #hasLooked = false;
  /** The running upkeep, or the timer of the next one. */
  #upkeep: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: VisitLogOptions) {
    this.#options = options;
    this.#held = new HeldVisits(options.heldCharacters);
    this.#heldErrors = new ErrorLog(
      options.log,
      'visits were kept in memory, because neither the queue nor the disk took them',
    );
    this.#lostErrors = new ErrorLog(options.log, 'visits were answered and not recorded');
  }

  /** Checks whether the queue works, and begins to replay what an earlier process left. */
  async start(): Promise<void> {
    await this.#options.probe().then(
      () => {
        this.#isUp = true;
      },
      (error: unknown) =>
        this.#options.log.warn(
          { err: error },
          'the queue did not answer, visits are written to the spool',
        ),
    );
    this.#scheduleUpkeep(0);
  }

  /**
   * Resolves once the visit is safe, or is held in memory because nothing accepts it. Never
   * rejects.
   */
  record(visit: Visit): Promise<void> {
    return new Promise((resolve) => this.recordThen(visit, resolve));
  }

  /**
   * Records a visit and calls `settled`, which must not throw, once it is safe. Cheaper than {@link
   * record}, for the many visits that are answered at once.
   */
  recordThen(visit: Visit, settled: () => void): void {
    const batch = this.#gathering ?? this.#open();
    batch.visits.push(visit);
    batch.settled.push(settled);
    if (batch.visits.length >= VISITS_PER_BATCH) this.#send(batch);
  }

  /** Makes all recorded visits safe. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    while (this.#gathering !== undefined || this.#sending.size > 0) {
      if (this.#gathering !== undefined) this.#send(this.#gathering);
      await Promise.all(this.#sending);
    }
    // Ends a replay; visits can still be appended.
    const closing = within(SPOOL_MS, this.#options.spool.close(), 'closing the spool');
    await Promise.all([
      closing.catch((err: unknown) => this.#options.log.warn({ err }, 'the spool was not closed')),
      this.#upkeep,
    ]);
    await this.#drainLast();
    this.#heldErrors.flush();
    this.#lostErrors.flush();
  }

  /**
   * True when every answered visit is in the queue, including those of ended processes on this
   * machine.
   */
  get isAllQueued(): boolean {
    const { spool } = this.#options;
    return this.#hasLooked && !spool.hasItems && this.#held.count === 0 && this.#unfinished === 0;
  }

  /** Fields for `/readyz`: visits that are held in memory or were not recorded. */
  notes(): object {
    const { count: held, notRecorded } = this.#held;
    return held === 0 && notRecorded === 0 ? {} : { visits: { held, notRecorded } };
  }

  #open(): Batch {
    const batch: Batch = { visits: [], settled: [] };
    this.#gathering = batch;
    if (this.#sending.size === 0) setImmediate(() => this.#send(batch));
    return batch;
  }

  #send(batch: Batch): void {
    if (this.#gathering !== batch) return;
    this.#gathering = undefined;
    const sending = this.#store(batch.visits).then(() => {
      this.#sending.delete(sending);
      // Sent first, so that Redis works on them while the others are answered.
      if (this.#gathering !== undefined) this.#send(this.#gathering);
      for (const settled of batch.settled) settled();
    });
    this.#sending.add(sending);
  }

  async #store(visits: Visit[]): Promise<void> {
    if (this.#isUp) {
      try {
        await within(QUEUE_MS, this.#options.deliver(visits), 'adding visits to the queue');
        madeSafe.queue.inc(visits.length);
        return;
      } catch (error) {
        this.#goDown(error);
      }
    }
    if (this.#held.count === 0) {
      try {
        return await this.#spool(visits);
      } catch (error) {
        this.#cause = error;
      }
    }
    this.#hold(visits);
  }

  async #spool(visits: readonly Visit[]): Promise<void> {
    // Writes to a hanging disk stay in memory until they end, so it gets no more of them.
    if (this.#unfinished > 0) throw new Error('the disk has not finished earlier writes');
    const write = this.#options.spool.append(visits);
    try {
      await within(SPOOL_MS, write, 'writing visits to the disk');
    } catch (error) {
      if (error instanceof Timeout) {
        this.#unfinished += 1;
        const end = () => {
          this.#unfinished -= 1;
        };
        write.then(end, end);
      }
      throw error;
    }
    madeSafe.spool.inc(visits.length);
  }

  #hold(visits: readonly Visit[]): void {
    const before = this.#held.notRecorded;
    this.#held.add(visits);
    const lost = this.#held.notRecorded - before;
    if (lost < visits.length) this.#heldErrors.report(this.#cause, visits.length - lost);
    if (lost > 0) this.#lostErrors.report(this.#cause, lost);
  }

  #goDown(error: unknown): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#options.log.warn(
      { err: error },
      'the queue did not take visits, they are written to the spool',
    );
    if (this.#upkeep === undefined) this.#scheduleUpkeep(UPKEEP_MS.down);
  }

  #scheduleUpkeep(ms: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#upkeep = this.#runUpkeep().then(() => {
        this.#upkeep = undefined;
        this.#scheduleUpkeep(this.#isUp ? UPKEEP_MS.up : UPKEEP_MS.down);
      });
    }, ms);
  }

  /**
   * Probes the queue and replays the spool. The probe comes first, so that it does not wait for a
   * hanging disk.
   */
  async #runUpkeep(): Promise<void> {
    const { probe, spool, log } = this.#options;
    const wasUp = this.#isUp;
    try {
      if (!wasUp) await probe();
      await this.#held.drain((visits) => this.#deliverHeld(visits));
      const count = await this.#atSpool(REPLAY_WAIT_MS, async () => {
        await this.#maintain();
        return spool.hasItems ? spool.replay((visits) => this.#replay(visits)) : 0;
      });
      // A queue that went down meanwhile is probed first.
      if (wasUp) return this.#logReplay(count);
      this.#isUp = true;
      log.info({ replayed: count }, 'the queue took visits again');
    } catch (error) {
      this.#goDown(error);
      await this.#atSpool(SPOOL_MS, async () => {
        await this.#maintain();
        return 0;
      });
      await this.#held
        .drain((visits) => this.#spool(visits))
        .catch((cause: unknown) => {
          this.#cause = cause;
        });
    }
  }

  async #maintain(): Promise<void> {
    await this.#options.spool.maintain();
    this.#hasLooked = true;
  }

  /**
   * Waits at most `ms` for work on the spool, which then continues on its own. Returns the number
   * of replayed visits: 0 if that is not known yet, or if earlier work is still running.
   */
  async #atSpool(ms: number, work: () => Promise<number>): Promise<number> {
    if (this.#isSpoolBusy) return 0;
    this.#isSpoolBusy = true;
    const working = work().finally(() => {
      this.#isSpoolBusy = false;
    });
    try {
      return await within(ms, working, 'work on the spool');
    } catch (error) {
      if (!(error instanceof Timeout)) throw error;
      working.then(
        (count) => this.#logReplay(count),
        (late: unknown) => this.#goDown(late),
      );
      return 0;
    }
  }

  #logReplay(count: number): void {
    if (count > 0) this.#options.log.info({ replayed: count }, 'spooled visits were replayed');
  }

  /** Delivers held visits when the process ends; what nothing accepts now is lost. */
  async #drainLast(): Promise<void> {
    if (this.#held.count === 0) return;
    const drain = () =>
      this.#held
        .drain((visits) => this.#deliverHeld(visits))
        .catch(() => this.#held.drain((visits) => this.#spool(visits)));
    await within(LAST_MS, drain(), 'delivering visits').catch((error: unknown) => {
      this.#lostErrors.report(error, this.#held.discard());
    });
  }

  async #deliverHeld(visits: Visit[]): Promise<void> {
    await within(REPLAY_MS, this.#options.deliver(visits), 'adding visits to the queue');
    madeSafe.queue.inc(visits.length);
    // As in a replay, new visits need not wait for the disk.
    this.#isUp = true;
  }

  async #replay(visits: Visit[]): Promise<void> {
    await within(REPLAY_MS, this.#options.deliver(visits), 'replaying visits');
    // The queue has just accepted a job, so new visits need not wait for the end of the replay.
    this.#isUp = true;
  }
}

/**
 * Generates increasing ids of visits.
 *
 * @param instance unique to this start of the process
 */
export function visitIds(instance: string): () => string {
  const beginning = `${instance}_`;
  let count = 0;
  return () => {
    count += 1;
    return beginning + count.toString(36);
  };
}
