import { within } from '../infra/clock.ts';
import type { Log } from '../infra/log.ts';
import { lookups } from '../infra/metrics.ts';
import { isDataError, isOutage } from '../infra/outage.ts';
import type { LookupGroup } from './concurrent-lookups.ts';
import { POSTGRES_MS, type Row } from './rows.ts';
import type { EntrySource } from './source.ts';

/** Time for which Postgres is not queried after an outage, in ms: other requests do not wait for the same failure. */
const PAUSE_MS = 250;
/**
 * Maximum number of requests that wait for Postgres, for the exact name and for prefixes of their
 * paths, up to 32 names each. Further requests fail at once instead of waiting beyond their time
 * limit, so that a flood of unknown keys or a slow Postgres takes bounded memory. Entries in memory
 * and Redis are still found.
 */
const MOST_WAITING = { exact: 1_000, prefix: 250 } as const;

/** A shared instance, since a flood throws thousands a second. */
const OVERLOAD = new Error('too many requests wait for Postgres');

const refused = lookups.labels('refused');

/** Reads of the source of entries, as many at once as it may have to answer. */
export class SourceReads {
  readonly #source: EntrySource;
  readonly #log: Log;
  readonly #waiting = { exact: 0, prefix: 0 };
  #pausedUntil = 0;
  #failure: unknown;

  constructor(source: EntrySource, log: Log) {
    this.#source = source;
    this.#log = log;
  }

  /**
   * The row of a name; `null` where there is none, `undefined` where Postgres refuses the name.
   *
   * @throws Error of the source, or when too many requests wait for it
   */
  async read(name: string, group: LookupGroup): Promise<Row | null | undefined> {
    if (performance.now() < this.#pausedUntil) throw this.#failure;
    const { priority } = group;
    if (group.waiting === 0 && this.#waiting[priority] >= MOST_WAITING[priority]) {
      refused.inc();
      throw OVERLOAD;
    }
    try {
      return await within(POSTGRES_MS, this.#readRow(name, group), 'a look-up in Postgres');
    } catch (error) {
      if (isDataError(error)) {
        this.#log.warn({ err: error }, 'Postgres refused the value of a look-up');
        return undefined;
      }
      // Look-ups of prefixes may time out because there are many of them.
      if (isOutage(error) && priority === 'exact') {
        this.#pausedUntil = performance.now() + PAUSE_MS;
        this.#failure = error;
      }
      throw error;
    }
  }

  /** Counts a look-up while its query waits or runs, which may be longer than its request waits. */
  async #readRow(name: string, group: LookupGroup): Promise<Row | null> {
    const { priority } = group;
    if (group.waiting === 0) this.#waiting[priority] += 1;
    group.waiting += 1;
    try {
      return await this.#source.read(name, priority);
    } finally {
      group.waiting -= 1;
      if (group.waiting === 0) this.#waiting[priority] -= 1;
    }
  }
}
