import { type CopyValue, copyFrom, copyInto } from '../../../infra/copy.ts';
import { type Db, rows } from '../../../infra/db.ts';
import { EVENT_KINDS } from '../../kinds.ts';
import { Counts } from './counts.ts';
import { addTallied } from './deltas.ts';
import { DAY_MS, isFineIn, QUARTER_MS, QUARTERS, type Scope, TABLES } from './rollups.ts';
import { COUNTED_COLUMNS, type CountedEvent, eventOf, Tally } from './tally.ts';
import { valueIds, WantedValues } from './values.ts';

/*
 * Counts of a month, made from its events. The events are read in parts of some days, so that no more than the counts of
 * a part and those of the month are in memory, and the rollups are written as they are stored.
 */

/** Events that a part is to have. Their counts take some 75 MB. */
export const PART = 200_000;
/** Values that are remembered from one part to the next. */
const MOST_VALUES = 200_000;

/** A month of a workspace, and the time from which on its events are still stored. */
export interface Month {
  projectId: string;
  from: Date | '-infinity';
  month: Date;
  next: Date;
}

/**
 * Counts the events of a month that has no rollups, and stores these.
 *
 * @param part events that are counted at a time
 */
export async function countMonth(trx: Db, of: Month, part: number): Promise<void> {
  const { month, next } = of;
  const [counted] = await rows<{ count: number }>(
    trx,
    `SELECT count(*)::int AS count FROM events
      WHERE project_id = :projectId AND event = ANY(:events) AND occurred_at >= :month AND occurred_at < :next`,
    { ...of, events: EVENT_KINDS },
  );
  const { count } = counted!;
  if (count === 0) return;
  const rolledFrom = await rolledRecords(trx, of);
  const writers = { domain: new Writer(of, 'domain'), record: new Writer(of, 'record') };
  const length = lengthOfParts((next.getTime() - month.getTime()) / Math.ceil(count / part));
  for (let start = month; start < next; start = new Date(start.getTime() + length)) {
    const end = new Date(Math.min(start.getTime() + length, next.getTime()));
    await readEvents(trx, of, [start, end], (event, quarter) => {
      writers.domain.tally.add(event, quarter);
      const first = event.link_id === null ? undefined : rolledFrom.get(event.link_id);
      if (first !== undefined && quarter >= first) writers.record.tally.add(event, quarter);
    });
    for (const writer of Object.values(writers)) await writer.write(trx, length >= DAY_MS);
  }
  for (const writer of Object.values(writers)) await writer.writeMonth(trx);
}

/** Whole days, or whole quarters of an hour of a workspace that has more events on a day. */
function lengthOfParts(ms: number): number {
  const unit = ms >= DAY_MS ? DAY_MS : QUARTER_MS;
  return Math.max(1, Math.floor(ms / unit)) * unit;
}

/** The quarters of an hour, since 1970, with which the rollups of records begin that have some. */
async function rolledRecords(trx: Db, { projectId }: Month): Promise<Map<string, number>> {
  const found = await rows<{ id: string; from: Date }>(
    trx,
    `SELECT record_id AS id, rolled_from AS "from" FROM counters
      WHERE project_id = ? AND rolled_from IS NOT NULL`,
    [projectId],
  );
  return new Map(found.map(({ id, from }) => [id, from.getTime() / QUARTER_MS]));
}

async function readEvents(
  trx: Db,
  of: Month,
  [start, end]: readonly [Date, Date],
  take: (event: CountedEvent, quarter: number) => void,
): Promise<void> {
  await copyFrom(
    trx,
    `SELECT floor(date_part('epoch', occurred_at) / ${QUARTER_MS / 1000})::int, ${COUNTED_COLUMNS.join(', ')} FROM events
      WHERE project_id = :projectId AND event = ANY(:events)
        AND occurred_at >= greatest(:from::timestamptz, :start) AND occurred_at < :end`,
    { ...of, events: EVENT_KINDS, start, end },
    (copied) => {
      for (const row of copied) take(eventOf(row), Number(row[0]));
    },
  );
}

/** Writes the rollups of one scope of a month. */
class Writer {
  tally: Tally;
  readonly #of: Month;
  readonly #scope: Scope;
  /** By owner, dimension and kind of event. */
  readonly #month = new Map<string, { key: CopyValue[]; counts: Counts }>();

  constructor(of: Month, scope: Scope) {
    this.#of = of;
    this.#scope = scope;
    this.tally = new Tally(of.projectId, scope);
  }

  /**
   * Writes what was counted.
   *
   * @param isWhole the days are complete; parts of days are written as additions, which are merged later
   */
  async write(trx: Db, isWhole: boolean): Promise<void> {
    const { projectId } = this.#of;
    const wanted = new WantedValues();
    this.tally.want(wanted);
    this.tally.takeIds(await valueIds(trx, wanted));
    if (isWhole) await this.#writeDays(trx);
    else await addTallied(trx, [{ projectId, scope: this.#scope, tally: this.tally }]);
    if (this.tally.values > MOST_VALUES) this.tally = new Tally(projectId, this.#scope);
  }

  async #writeDays(trx: Db): Promise<void> {
    const written: CopyValue[][] = [];
    for (const { owner, event, day, dimension, counts } of this.tally.takeDays()) {
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
    const bucket = this.#of.month.toISOString();
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
    const { projectId } = this.#of;
    await copyInto(
      trx,
      table,
      ['project_id', ...columns],
      written.map((row) => [projectId, ...row]),
    );
  }
}

/** Counts of whole days, of those of their quarters. */
export function wholeDays(quarters: Counts): Counts {
  const days = new Counts();
  quarters.forEach((id, count, amount) => days.add(Math.floor(id / QUARTERS), count, amount));
  return days;
}
