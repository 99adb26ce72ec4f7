import { type CopyValue, copyFrom, copyInto } from '../../../infra/copy.ts';
import { type Db, rows } from '../../../infra/db.ts';
import { EVENT_KINDS } from '../../kinds.ts';
import { Counts } from './counts.ts';
import { addCounted } from './deltas.ts';
import { COUNTED_COLUMNS, type CountedEvent, EventCounter, eventOf } from './event-counter.ts';
import { DAY_MS, isFineIn, QUARTER_MS, QUARTERS, type Scope, TABLES } from './rollups.ts';
import { RequestedValues, valueIds } from './values.ts';

/*
 * Counts of a month, made from its events. Events are read in parts of some days, so that only the
 * counts of a part and of the month are in memory. Rollups are written as they are stored.
 */

/** Target number of events in a part; their counts take about 75 MB. */
export const PART = 200_000;
/** Maximum number of values remembered from one part to the next. */
const MAX_VALUES_KEPT = 200_000;

/** A month of a workspace, and the time from which its events are still stored. */
export interface Month {
  projectId: string;
  from: Date | '-infinity';
  month: Date;
  next: Date;
}

/**
 * Counts the events of a month that has no rollups, and stores the rollups.
 *
 * @param part number of events counted at a time
 */
export async function countMonth(trx: Db, rebuilt: Month, part: number): Promise<void> {
  const { month, next } = rebuilt;
  const [counted] = await rows<{ count: number }>(
    trx,
    `SELECT count(*)::int AS count FROM events
      WHERE project_id = :projectId AND event = ANY(:events) AND occurred_at >= :month AND occurred_at < :next`,
    { ...rebuilt, events: EVENT_KINDS },
  );
  const { count } = counted!;
  if (count === 0) return;
  const rolledFrom = await rolledRecords(trx, rebuilt);
  const writers = { domain: new Writer(rebuilt, 'domain'), record: new Writer(rebuilt, 'record') };
  const length = lengthOfParts((next.getTime() - month.getTime()) / Math.ceil(count / part));
  for (let start = month; start < next; start = new Date(start.getTime() + length)) {
    const end = new Date(Math.min(start.getTime() + length, next.getTime()));
    await readEvents(trx, rebuilt, [start, end], (event, quarter) => {
      writers.domain.counter.add(event, quarter);
      const first = event.link_id === null ? undefined : rolledFrom.get(event.link_id);
      if (first !== undefined && quarter >= first) writers.record.counter.add(event, quarter);
    });
    for (const writer of Object.values(writers)) await writer.write(trx, length >= DAY_MS);
  }
  for (const writer of Object.values(writers)) await writer.writeMonth(trx);
}

/**
 * Returns the length of parts: whole days, or whole quarter-hours if the workspace has more events
 * on a day.
 */
function lengthOfParts(ms: number): number {
  const unit = ms >= DAY_MS ? DAY_MS : QUARTER_MS;
  return Math.max(1, Math.floor(ms / unit)) * unit;
}

/** Reads the quarter-hours since 1970 with which the rollups of records begin. */
async function rolledRecords(trx: Db, { projectId }: Month): Promise<Map<string, number>> {
  const records = await rows<{ id: string; from: Date }>(
    trx,
    `SELECT record_id AS id, rolled_from AS "from" FROM counters
      WHERE project_id = ? AND rolled_from IS NOT NULL`,
    [projectId],
  );
  return new Map(records.map(({ id, from }) => [id, from.getTime() / QUARTER_MS]));
}

async function readEvents(
  trx: Db,
  month: Month,
  [start, end]: readonly [Date, Date],
  take: (event: CountedEvent, quarter: number) => void,
): Promise<void> {
  await copyFrom(
    trx,
    `SELECT floor(date_part('epoch', occurred_at) / ${QUARTER_MS / 1000})::int, ${COUNTED_COLUMNS.join(', ')} FROM events
      WHERE project_id = :projectId AND event = ANY(:events)
        AND occurred_at >= greatest(:from::timestamptz, :start) AND occurred_at < :end`,
    { ...month, events: EVENT_KINDS, start, end },
    (copied) => {
      for (const row of copied) take(eventOf(row), Number(row[0]));
    },
  );
}

/** Writes the rollups of one scope of a month. */
class Writer {
  counter: EventCounter;
  readonly #target: Month;
  readonly #scope: Scope;
  /** Counts by owner, dimension and event kind. */
  readonly #month = new Map<string, { key: CopyValue[]; counts: Counts }>();

  constructor(month: Month, scope: Scope) {
    this.#target = month;
    this.#scope = scope;
    this.counter = new EventCounter(month.projectId, scope);
  }

  /**
   * Writes the counts.
   *
   * @param isWhole true if the days are complete; parts of days are written as additions and merged
   * later
   */
  async write(trx: Db, isWhole: boolean): Promise<void> {
    const { projectId } = this.#target;
    const requested = new RequestedValues();
    this.counter.requestIds(requested);
    this.counter.takeIds(await valueIds(trx, requested));
    if (isWhole) await this.#writeDays(trx);
    else await addCounted(trx, [{ projectId, scope: this.#scope, counter: this.counter }]);
    if (this.counter.values > MAX_VALUES_KEPT)
      this.counter = new EventCounter(projectId, this.#scope);
  }

  async #writeDays(trx: Db): Promise<void> {
    const written: CopyValue[][] = [];
    for (const { owner, event, day, dimension, counts } of this.counter.takeDays()) {
      const isFine = isFineIn(this.#scope, dimension);
      const byValue = isFine ? wholeDays(counts) : counts;
      const key = [owner, dimension, event];
      const name = key.join('\n');
      const month = this.#month.get(name);
      if (month !== undefined) month.counts.addAll(byValue);
      else this.#month.set(name, { key, counts: byValue });
      const bucket = new Date(day * DAY_MS).toISOString();
      const quarters = isFine ? counts.pack()! : null;
      written.push([...key, 'd', bucket, byValue.pack()!, quarters]);
    }
    await this.#copy(trx, written);
  }

  async writeMonth(trx: Db): Promise<void> {
    const bucket = this.#target.month.toISOString();
    const written = [...this.#month.values()].map(({ key, counts }) => [
      ...key,
      'm',
      bucket,
      counts.pack()!,
      null,
    ]);
    await this.#copy(trx, written);
  }

  async #copy(trx: Db, written: readonly CopyValue[][]): Promise<void> {
    const { table, key } = TABLES[this.#scope];
    const columns = [key, 'dimension', 'event', 'step', 'bucket', 'counts', 'quarters'];
    const { projectId } = this.#target;
    await copyInto(
      trx,
      table,
      ['project_id', ...columns],
      written.map((row) => [projectId, ...row]),
    );
  }
}

/** Sums the counts of quarter-hours to counts of days. */
export function wholeDays(quarters: Counts): Counts {
  const days = new Counts();
  quarters.forEach((id, count, amount) => days.add(Math.floor(id / QUARTERS), count, amount));
  return days;
}
