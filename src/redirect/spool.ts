import type { Log } from '../infra/log.ts';
import { heldVisits, visitsNotRecorded } from '../infra/metrics.ts';
import { Spool } from '../infra/spool.ts';
import type { Visit } from '../visits/visit.ts';

/*
 * Storage of visits while the queue does not take them: on disk (`VisitSpool`), and if the disk fails too, in bounded memory
 * (`HeldVisits`). `visit-log.ts` chooses.
 */

/** Most visits of one batch. */
export const VISITS_PER_BATCH = 500;
/** Limit of visits in memory, in characters of their JSON: some 60,000 usual ones. */
const MOST_HELD_CHARACTERS = 32 << 20;

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

/** Visits that neither the queue nor the disk takes, in bounded memory. Those beyond the limit are counted as not recorded. */
export class HeldVisits {
  #held: Held[] = [];
  #characters = 0;
  readonly #limit: number;
  /** Visits that were answered and will not be counted. */
  notRecorded = 0;

  /** @param limit in characters of JSON */
  constructor(limit = MOST_HELD_CHARACTERS) {
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

  /** Discards all visits. Returns how many there were. */
  discard(): number {
    const { count } = this;
    this.#countLost(count);
    this.#held = [];
    this.#characters = 0;
    heldVisits.set(0);
    return count;
  }

  /**
   * Passes all visits to `take`, those of a job at a time.
   *
   * @throws Error when `take` does; what it did not take stays
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
