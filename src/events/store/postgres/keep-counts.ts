import { type CopyValue, copyInto } from '../../../infra/copy.ts';
import { type Db, rows } from '../../../infra/db.ts';
import { Counts, readCounts } from './counts.ts';
import {
  type CountedDay,
  type CountedEvent,
  EventCounter,
  isFineIn,
  type Scope,
} from './event-counter.ts';
import { DAY_MS, QUARTERS } from './quarters.ts';
import { visitorsOf } from './query-counts.ts';
import { RequestedValues, valueIds } from './values.ts';

/*
 * Counts of the events that retention deletes. The transaction that deletes them adds these rows,
 * so that the counts of a period are the sum of its rows:
 *
 *   step   period          counts         quarters
 *   d      a day of UTC    by value id    of fine dimensions (`isFineIn`), by value id times 96 plus
 *                                         the quarter-hour
 *   m      a month of UTC  by value id    –
 *
 * Links and QR codes have days alone.
 */

const COLUMNS = [
  'project_id',
  'is_record',
  'owner',
  'dimension',
  'event',
  'step',
  'bucket',
  'counts',
  'quarters',
  'format',
];
/**
 * Version of the rows. The database refuses rows without one, which retention of the previous
 * release would add: it would lose the visitors of the events that it deletes.
 */
export const FORMAT = 2;
/** Maximum number of values remembered from one call of `write` to the next. */
const MAX_VALUES_KEPT = 200_000;

/** Counts events of a workspace that retention deletes, by domain and by link or QR code. */
export class KeptCounter {
  readonly #projectId: string;
  #counters: Record<Scope, EventCounter>;

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#counters = this.#newCounters();
  }

  #newCounters(): Record<Scope, EventCounter> {
    return {
      domain: new EventCounter(this.#projectId, 'domain'),
      record: new EventCounter(this.#projectId, 'record'),
    };
  }

  /**
   * Counts an event.
   *
   * @param quarter quarter-hours since 1970
   * @param hasRecord true if its link or QR code still exists
   */
  add(event: CountedEvent, quarter: number, hasRecord: boolean): void {
    this.#counters.domain.add(event, quarter);
    if (hasRecord) this.#counters.record.add(event, quarter);
  }

  /** Writes the counts, and starts again at zero. */
  async write(trx: Db): Promise<void> {
    const requested = new RequestedValues();
    for (const counter of Object.values(this.#counters)) counter.requestIds(requested);
    const idsOf = await valueIds(trx, requested);
    for (const counter of Object.values(this.#counters)) counter.takeIds(idsOf);
    for (const scope of ['domain', 'record'] as const) {
      await copyInto(trx, 'kept_counts', COLUMNS, [...this.#rows(scope)]);
    }
    const { domain, record } = this.#counters;
    if (domain.values + record.values > MAX_VALUES_KEPT) this.#counters = this.#newCounters();
  }

  *#rows(scope: Scope): Generator<CopyValue[]> {
    const months = new Map<string, { key: Key; start: string; counts: Counts }>();
    for (const { owner, event, day, dimension, counts } of this.#counters[scope].takeDays()) {
      const isFine = isFineIn(scope, dimension);
      const byValue = isFine ? wholeDays(counts) : counts;
      const key = { owner, dimension, event };
      const start = new Date(day * DAY_MS).toISOString();
      yield* this.#packed(scope, key, ['d', start], byValue, isFine ? counts : undefined);
      if (scope === 'record') continue;
      const month = `${start.slice(0, 7)}-01T00:00:00.000Z`;
      const name = `${owner}\n${dimension}\n${event}\n${month}`;
      const sums = months.get(name);
      if (sums === undefined) months.set(name, { key, start: month, counts: byValue });
      else sums.counts.addAll(byValue);
    }
    for (const { key, start, counts } of months.values()) {
      yield* this.#packed(scope, key, ['m', start], counts, undefined);
    }
  }

  /** Makes the rows of a period, of events and of their visitors. */
  *#packed(
    scope: Scope,
    { owner, dimension, event }: Key,
    period: readonly [step: string, start: string],
    counts: Counts,
    quarters: Counts | undefined,
  ): Generator<CopyValue[]> {
    const row = (name: string, packed: Buffer, ofQuarters: Buffer | null): CopyValue[] => [
      this.#projectId,
      scope === 'record',
      owner,
      dimension,
      name,
      ...period,
      packed,
      ofQuarters,
      FORMAT,
    ];
    yield row(event, counts.pack()!, quarters?.pack() ?? null);
    const visitors = counts.packVisitors();
    if (visitors === undefined) return;
    yield row(visitorsOf(event), visitors, quarters?.packVisitors() ?? null);
  }
}

/** Owner, dimension and event kind of kept counts. */
type Key = Pick<CountedDay, 'owner' | 'dimension' | 'event'>;

/** Sums the counts of quarter-hours to counts of days. */
function wholeDays(quarters: Counts): Counts {
  const days = new Counts();
  quarters.forEach((id, count, amount, visitors) => {
    days.add(Math.floor(id / QUARTERS), count, amount, visitors);
  });
  return days;
}

interface MonthRow {
  owner: string;
  dimension: string;
  event: string;
  bucket: Date;
  counts: Buffer;
}

/** Merges the rows of months of a workspace that several transactions have added. */
export async function mergeMonths(trx: Db, projectId: string): Promise<void> {
  const taken = await rows<MonthRow>(
    trx,
    `WITH several AS (
       SELECT owner, dimension, event, bucket FROM kept_counts
        WHERE project_id = :projectId AND NOT is_record AND step = 'm'
        GROUP BY owner, dimension, event, bucket HAVING count(*) > 1)
     DELETE FROM kept_counts k USING several s
      WHERE k.project_id = :projectId AND NOT k.is_record AND k.step = 'm'
        AND k.owner = s.owner AND k.dimension = s.dimension AND k.event = s.event AND k.bucket = s.bucket
     RETURNING k.owner, k.dimension, k.event, k.bucket, k.counts`,
    { projectId },
  );
  const merged = new Map<string, { row: MonthRow; counts: Counts }>();
  for (const row of taken) {
    const name = `${row.owner}\n${row.dimension}\n${row.event}\n${row.bucket.getTime()}`;
    const sums = merged.get(name) ?? { row, counts: new Counts() };
    readCounts(row.counts, (id, count, amount) => sums.counts.add(id, count, amount));
    merged.set(name, sums);
  }
  await copyInto(
    trx,
    'kept_counts',
    COLUMNS,
    [...merged.values()].flatMap(({ row: { owner, dimension, event, bucket }, counts }) => {
      const packed = counts.pack();
      const start = bucket.toISOString();
      // Late events that an update has subtracted can leave nothing.
      if (packed === undefined) return [];
      return [[projectId, false, owner, dimension, event, 'm', start, packed, null, FORMAT]];
    }),
  );
}
