import { type Db, execute, rows } from '../../../infra/db.ts';
import { EVENT_KINDS } from '../../kinds.ts';
import { MANY_EVENTS } from './append.ts';
import { resetBlocks } from './build-blocks.ts';

import { mergeDeltas } from './compact.ts';
import { countMonth, PART } from './count-month.ts';
import { type Differences, differences, type StoredRollups, storedRollups } from './differences.ts';
import { lockEvents, lockRollups, type Scope, TABLES } from './rollups.ts';

/** Differences that a rebuild found and corrected. */
export interface Rebuilt {
  domains: Differences;
  records: Differences;
}

/**
 * Derives all rollups of a workspace from its events again, and returns the differences to the
 * stored ones. Rollups of events deleted by retention stay as they are. Records that get rollups of
 * their own only now are not compared.
 *
 * @param manyEvents records with this number of events get rollups of their own, from their first
 * event on
 * @param part number of events counted at a time
 */
export async function rebuildRollups(
  db: Db,
  projectId: string,
  manyEvents = MANY_EVENTS,
  part = PART,
): Promise<Rebuilt> {
  return db.transaction(async (trx) => {
    const rebuild = await lockForRebuild(trx, projectId);
    await mergeDeltas(trx, projectId);
    const differencesFound: Rebuilt = { domains: none(), records: none() };
    const newly = await rollManyEvents(trx, rebuild, manyEvents);
    await eachMonth(trx, rebuild, async (month) => {
      const before = await storedOf(trx, rebuild, month);
      await deriveMonth(trx, rebuild, month, part);
      await mergeDeltas(trx, projectId);
      const after = await storedOf(trx, rebuild, month);
      differences(before.domain, after.domain, differencesFound.domains);
      differences(before.record, after.record, differencesFound.records, newly);
    });
    await resetBlocks(trx, projectId);
    return differencesFound;
  });
}

const none = (): Differences => ({ rows: 0, missing: 0, surplus: 0, different: 0 });

/** Reads the rollups of a month, by scope. */
async function storedOf(
  trx: Db,
  rebuild: Rebuild,
  month: Date,
): Promise<Record<Scope, StoredRollups>> {
  const ofMonth = { ...rebuild, month, next: monthAfter(month) };
  return {
    domain: await storedRollups(trx, 'domain', ofMonth),
    record: await storedRollups(trx, 'record', ofMonth),
  };
}

/** Derives all rollups of a workspace regardless of what is stored. */
export async function deriveRollups(db: Db, projectId: string): Promise<void> {
  await db.transaction(async (trx) => {
    const rebuild = await lockForRebuild(trx, projectId);
    await rollManyEvents(trx, rebuild);
    await eachMonth(trx, rebuild, (month) => deriveMonth(trx, rebuild, month));
    await resetBlocks(trx, projectId);
  });
}

/**
 * Blocks transactions that store events of a workspace until this one ends, so that no event is
 * missed.
 */
export async function lockForRebuild(trx: Db, projectId: string): Promise<Rebuild> {
  // Locked before the advisory lock, in the order of the background job, so that they cannot
  // deadlock.
  await execute(trx, 'SELECT 1 FROM rollup_rebuilds WHERE project_id = ? FOR UPDATE', [projectId]);
  await lockEvents(trx, projectId);
  await lockRollups(trx, projectId);
  return keptOf(trx, projectId);
}

/**
 * Reads the range of stored events of a workspace. Retention deletes none of them before the
 * transaction ends.
 */
export async function keptOf(trx: Db, projectId: string): Promise<Rebuild> {
  const [row] = await rows<{ from: Date | null }>(
    trx,
    'SELECT events_from AS "from" FROM workspaces WHERE id = ? FOR SHARE',
    [projectId],
  );
  return { projectId, from: row?.from ?? '-infinity' };
}

/** A workspace, and the time from which its events are still stored. */
export interface Rebuild {
  projectId: string;
  from: Date | '-infinity';
}

/** Runs `work` for every month with events or rollups, and removes the mark of the workspace. */
async function eachMonth(
  trx: Db,
  rebuild: Rebuild,
  work: (month: Date) => Promise<void>,
): Promise<void> {
  for (let month = await monthFrom(trx, rebuild, '-infinity'); month !== undefined; ) {
    await work(month);
    month = await monthFrom(trx, rebuild, monthAfter(month));
  }
  await trx('rollup_rebuilds').where({ project_id: rebuild.projectId }).delete();
}

/**
 * Extends the rollups of records with many events back to their first stored event.
 *
 * @returns the records whose rollups now begin earlier
 */
export async function rollManyEvents(
  trx: Db,
  rebuild: Rebuild,
  manyEvents = MANY_EVENTS,
): Promise<ReadonlySet<string>> {
  const records = await rows<{ id: string }>(
    trx,
    `WITH many AS MATERIALIZED (
       SELECT c.record_id, e.first
         FROM (SELECT link_id, min(occurred_at) AS first FROM events
                WHERE project_id = :projectId AND link_id IS NOT NULL AND occurred_at >= :from
                GROUP BY link_id HAVING count(*) >= :manyEvents) AS e
         JOIN counters c ON c.project_id = :projectId AND c.record_id = e.link_id
        -- Locked in the order of their ids, as everywhere.
        ORDER BY c.record_id FOR UPDATE OF c)
     UPDATE counters AS c SET rolled_from = date_trunc('day', many.first, 'UTC')
       FROM many
      WHERE c.project_id = :projectId AND c.record_id = many.record_id
        AND (c.rolled_from IS NULL OR c.rolled_from > many.first)
     RETURNING c.record_id AS id`,
    { ...rebuild, manyEvents },
  );
  return new Set(records.map(({ id }) => id));
}

/** Finds the first month from a given time that has events or rollups. */
export async function monthFrom(
  trx: Db,
  rebuild: Rebuild,
  time: Date | '-infinity',
): Promise<Date | undefined> {
  const [row] = await rows<{ month: Date | null }>(
    trx,
    `SELECT date_trunc('month', min(first), 'UTC') AS month
       FROM unnest(:events::text[]) AS kind(event)
      CROSS JOIN LATERAL (
        SELECT min(occurred_at) AS first FROM events
         WHERE project_id = :projectId AND event = kind.event AND occurred_at >= greatest(:from::timestamptz, :time)
         UNION ALL
        SELECT min(bucket) FROM rollups
         WHERE project_id = :projectId AND event = kind.event AND dimension = 'all' AND step = 'd'
           AND bucket >= greatest(:from::timestamptz, :time)
         UNION ALL
        SELECT min(bucket) FROM rollup_deltas
         WHERE project_id = :projectId AND event = kind.event AND dimension = 'all' AND NOT is_record
           AND bucket >= greatest(:from::timestamptz, :time)) AS found`,
    { ...rebuild, time, events: EVENT_KINDS },
  );
  return row!.month ?? undefined;
}

/** Derives the days of one month, and the month itself, with the values that they refer to. */
export async function deriveMonth(
  trx: Db,
  rebuild: Rebuild,
  month: Date,
  part = PART,
): Promise<void> {
  const ofMonth = { ...rebuild, month, next: monthAfter(month) };
  for (const { table } of [...Object.values(TABLES), { table: 'rollup_deltas' }]) {
    await execute(
      trx,
      `DELETE FROM ${table} WHERE project_id = :projectId
          AND bucket >= greatest(:from::timestamptz, :month) AND bucket < :next`,
      ofMonth,
    );
  }
  await countMonth(trx, ofMonth, part);
}

/** Returns the start of the next month in UTC. */
export const monthAfter = (month: Date) =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1));
