import { type Db, execute, rows } from '../../../infra/db.ts';
import { EVENT_KINDS } from '../../kinds.ts';
import { MANY_EVENTS } from './append.ts';
import { compactWeeksFrom } from './compact.ts';
import {
  addRollups,
  keepLongValues,
  keepTexts,
  lockEvents,
  rollupsOf,
  type Scope,
  TABLES,
} from './rollups.ts';

/** Number of rows in which rollups differed from their events. */
export interface Differences {
  rows: number;
  missing: number;
  surplus: number;
  different: number;
}

/** The differences that a rebuild found and corrected. */
export interface Rebuilt {
  domains: Differences;
  records: Differences;
}

/**
 * Derives all rollups of a workspace from its events again, and returns the differences from those that were stored.
 * Rollups of events that retention has deleted stay as they are.
 *
 * @param manyEvents records with as many get rollups of their own, from their first event on
 */
export async function rebuildRollups(
  db: Db,
  projectId: string,
  manyEvents = MANY_EVENTS,
): Promise<Rebuilt> {
  return db.transaction(async (trx) => {
    const of = await lockForRebuild(trx, projectId);
    const domains = await compare(trx, 'domain', EVENTS, of);
    const records = await compare(trx, 'record', ROLLED_EVENTS, of);
    await derive(trx, of, manyEvents);
    return { domains, records };
  });
}

/** Derives all rollups of a workspace, whatever is there. */
export async function deriveRollups(db: Db, projectId: string): Promise<void> {
  await db.transaction(async (trx) =>
    derive(trx, await lockForRebuild(trx, projectId), MANY_EVENTS),
  );
}

/** Blocks transactions that store events of a workspace until the end of this one, so that none is missed. */
export async function lockForRebuild(trx: Db, projectId: string): Promise<Rebuild> {
  // Before the advisory lock, in the order of the background job, so that they cannot deadlock.
  await execute(trx, 'SELECT 1 FROM rollup_rebuilds WHERE project_id = ? FOR UPDATE', [projectId]);
  await lockEvents(trx, projectId);
  await execute(trx, "SET LOCAL work_mem = '256MB'");
  return keptOf(trx, projectId);
}

/** The range of events of a workspace that are stored; retention deletes none of them before the transaction ends. */
export async function keptOf(trx: Db, projectId: string): Promise<Rebuild> {
  const [row] = await rows<{ from: Date | null }>(
    trx,
    'SELECT events_from AS "from" FROM workspaces WHERE id = ? FOR SHARE',
    [projectId],
  );
  return { projectId, from: row?.from ?? '-infinity' };
}

/** A workspace, and the time from which on its events are still stored. */
export interface Rebuild {
  projectId: string;
  from: Date | '-infinity';
}

async function derive(trx: Db, of: Rebuild, manyEvents: number): Promise<void> {
  await rollManyEvents(trx, of, manyEvents);
  for (let month = await monthFrom(trx, of, '-infinity'); month !== undefined; ) {
    await deriveMonth(trx, of, month);
    month = await monthFrom(trx, of, monthAfter(month));
  }
  await deriveWeeks(trx, of);
  await trx('rollup_rebuilds').where({ project_id: of.projectId }).delete();
}

/** Builds rollups of records with many events, from their first stored event on. */
export async function rollManyEvents(
  trx: Db,
  of: Rebuild,
  manyEvents = MANY_EVENTS,
): Promise<void> {
  await execute(
    trx,
    `UPDATE counters AS c SET rolled_from = date_trunc('day', many.first, 'UTC')
       FROM (SELECT c.record_id, e.first
               FROM (SELECT link_id, min(occurred_at) AS first FROM events
                      WHERE project_id = :projectId AND link_id IS NOT NULL AND occurred_at >= :from
                      GROUP BY link_id HAVING count(*) >= :manyEvents) AS e
               JOIN counters c ON c.project_id = :projectId AND c.record_id = e.link_id
              -- Locked in the order of their ids, as everywhere.
              ORDER BY c.record_id FOR UPDATE OF c) AS many
      WHERE c.project_id = :projectId AND c.record_id = many.record_id
        AND (c.rolled_from IS NULL OR c.rolled_from > many.first)`,
    { ...of, manyEvents },
  );
}

/** The first month, from some time on, of which there are events or rollups. */
export async function monthFrom(
  trx: Db,
  of: Rebuild,
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
           AND bucket >= greatest(:from::timestamptz, :time)) AS found`,
    { ...of, time, events: EVENT_KINDS },
  );
  return row!.month ?? undefined;
}

/** Derives the quarters, days and months of one month, with the texts that they refer to. */
export async function deriveMonth(trx: Db, of: Rebuild, month: Date): Promise<void> {
  const bindings = {
    ...of,
    month,
    next: monthAfter(month),
    kinds: EVENT_KINDS,
    steps: ['q', 'd', 'm'],
  };
  const inMonth = (source: string) =>
    `(SELECT * FROM ${source} AS of_month WHERE occurred_at >= :month AND occurred_at < :next)`;
  await execute(trx, keepLongValues(inMonth(EVENTS)), bindings);
  await execute(trx, keepTexts(inMonth(EVENTS)), bindings);
  for (const scope of ['domain', 'record'] as const) {
    await execute(
      trx,
      `DELETE FROM ${TABLES[scope].table}
        WHERE project_id = :projectId AND event = ANY(:kinds) AND step = ANY(:steps::"char"[])
          AND bucket >= greatest(:from::timestamptz, :month) AND bucket < :next`,
      bindings,
    );
    const source = scope === 'domain' ? EVENTS : ROLLED_EVENTS;
    await execute(trx, addRollups(inMonth(source), scope, `${KEPT} AND step <> 'w'`), bindings);
  }
}

/** Derives the weeks from their days, the first one included, of which some events may have been deleted. */
export async function deriveWeeks(trx: Db, of: Rebuild): Promise<void> {
  for (const scope of ['domain', 'record'] as const) {
    await execute(
      trx,
      `DELETE FROM ${TABLES[scope].table}
        WHERE project_id = :projectId AND event = ANY(:kinds) AND step = 'w' AND bucket >= :from`,
      { ...of, kinds: EVENT_KINDS },
    );
    await compactWeeksFrom(trx, scope, of);
  }
}

/** The first moment of the next month of UTC. */
export const monthAfter = (month: Date) =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1));

/** Of a week that began before, some events have been deleted: it is derived from its days, which are kept. */
const KEPT = 'bucket >= :from';

const EVENTS = '(SELECT * FROM events WHERE project_id = :projectId AND occurred_at >= :from)';

const ROLLED_EVENTS = `(SELECT v.* FROM events v
    JOIN counters c ON c.project_id = v.project_id AND c.record_id = v.link_id
   WHERE v.project_id = :projectId AND v.occurred_at >= :from AND v.occurred_at >= c.rolled_from)`;

async function compare(trx: Db, scope: Scope, source: string, of: Rebuild): Promise<Differences> {
  const { table, key } = TABLES[scope];
  const [row] = await rows<Differences>(
    trx,
    `SELECT count(made.count) AS rows,
            count(*) FILTER (WHERE kept.count IS NULL) AS missing,
            count(*) FILTER (WHERE made.count IS NULL) AS surplus,
            count(*) FILTER (WHERE kept.count <> made.count OR kept.amount_cents <> made.amount_cents) AS different
       FROM (${rollupsOf(source, scope, KEPT)}) AS made
       FULL JOIN (SELECT *, ${key} AS scope FROM ${table} WHERE project_id = :projectId AND bucket >= :from) AS kept
         ON kept.scope = made.scope AND kept.event = made.event AND kept.dimension = made.dimension
        AND kept.step = made.step::"char" AND kept.bucket = made.bucket AND kept.value = made.value`,
    { ...of },
  );
  return row!;
}
