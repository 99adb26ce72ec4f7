import { type Db, rows } from '../../../infra/db.ts';
import type { Month } from './count-month.ts';
import { Counts, readCounts } from './counts.ts';
import { type Scope, TABLES } from './rollups.ts';

/** Number of counts in which rollups differed from their events. */
export interface Differences {
  rows: number;
  missing: number;
  surplus: number;
  different: number;
}

interface Stored {
  owner: string;
  counts: Buffer;
}

/** Rollups of a month by owner and dimension; counts of quarter-hours are separate entries. */
export type StoredRollups = ReadonlyMap<string, Stored>;

/** Reads the rollups of a month. */
export async function storedRollups(trx: Db, scope: Scope, month: Month): Promise<StoredRollups> {
  const { table, key } = TABLES[scope];
  const rollups = await rows<{
    owner: string;
    what: string;
    counts: Buffer;
    quarters: Buffer | null;
  }>(
    trx,
    `SELECT ${key} AS owner, concat_ws(' ', dimension, event, step, bucket) AS what, counts, quarters FROM ${table}
      WHERE project_id = :projectId AND bucket >= greatest(:from::timestamptz, :month) AND bucket < :next`,
    { ...month },
  );
  const stored = new Map<string, Stored>();
  for (const { owner, what, counts, quarters } of rollups) {
    stored.set(`${owner} ${what}`, { owner, counts });
    if (quarters !== null) stored.set(`${owner} ${what} by quarters`, { owner, counts: quarters });
  }
  return stored;
}

/**
 * Adds up the differences between stored and derived rollups.
 *
 * @param skipped owners that are not compared
 */
export function differences(
  stored: StoredRollups,
  derived: StoredRollups,
  differences: Differences,
  skipped: ReadonlySet<string> = new Set(),
): void {
  for (const name of new Set([...stored.keys(), ...derived.keys()])) {
    const [before, after] = [stored.get(name), derived.get(name)];
    if (skipped.has((before ?? after)!.owner)) continue;
    compare(unpacked(before), unpacked(after), differences);
  }
}

function unpacked(stored: Stored | undefined): Counts {
  const counts = new Counts();
  if (stored === undefined) return counts;
  readCounts(stored.counts, (id, count, amount) => counts.add(id, count, amount));
  return counts;
}

function compare(before: Counts, after: Counts, differences: Differences): void {
  after.forEach((id, count, amount) => {
    differences.rows += 1;
    if (before.count(id) === 0) differences.missing += 1;
    else if (before.count(id) !== count || before.amount(id) !== amount) differences.different += 1;
  });
  before.forEach((id) => {
    if (after.count(id) === 0) differences.surplus += 1;
  });
}
