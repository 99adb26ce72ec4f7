import type { Log } from '../infra/log.ts';
import { heldVisits, visitsNotRecorded } from '../infra/metrics.ts';
import { Spool } from '../infra/spool.ts';
import type { Visit } from '../visits/visit.ts';

/*
 * Stores visits that the queue does not accept: on disk (`VisitSpool`), or in bounded memory if the
 * disk fails too (`HeldVisits`). `visit-log.ts` chooses.
 */

/** Maximum number of visits in a batch. */
export const VISITS_PER_BATCH = 500;
/** Limit of visits in memory, in characters of their JSON: about 60,000 ordinary visits. */
const MAX_HELD_CHARACTERS = 32 << 20;

/** The spooled visits of this process. */
export class VisitSpool extends Spool<Visit> {
  constructor(folder: string, log: Log) {
    super({ folder, kind: 'visits', perDelivery: VISITS_PER_BATCH, log });
  }
}

interface Held {
  visit: Visit;
  characters: number;
}

/**
 * Holds visits that neither queue nor disk accepts, in bounded memory. Visits beyond the limit are
 * counted as not recorded.
 */
export class HeldVisits {
  #held: Held[] = [];
  #characters = 0;
  readonly #limit: number;
  /** Number of visits that were answered but will not be counted. */
  notRecorded = 0;

  /** @param limit in characters of JSON */
  constructor(limit = MAX_HELD_CHARACTERS) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#held.length;
  }

  add(visits: readonly Visit[]): void {
    for (const visit of visits) {
      const characters = JSON.stringify(visit).length;
      if (this.#characters + characters > this.#limit) this.#countLost(1);
      else {
        this.#held.push({ visit, characters });
        this.#characters += characters;
      }
    }
    heldVisits.set(this.count);
  }

  /** Discards all visits. @returns their number */
  discard(): number {
    const { count } = this;
    this.#countLost(count);
    this.#held = [];
    this.#characters = 0;
    heldVisits.set(0);
    return count;
  }

  /**
   * Passes all visits to `take`, in batches of one job each.
   *
   * @throws Error if `take` does; visits that it did not take stay
   */
  async drain(take: (visits: Visit[]) => Promise<void>): Promise<void> {
    while (this.#held.length > 0) {
      const group = this.#held.slice(0, VISITS_PER_BATCH);
      await take(group.map(({ visit }) => visit));
      this.#held.splice(0, group.length);
      for (const { characters } of group) this.#characters -= characters;
      heldVisits.set(this.count);
    }
  }

  #countLost(count: number): void {
    this.notRecorded += count;
    visitsNotRecorded.inc(count);
  }
}
