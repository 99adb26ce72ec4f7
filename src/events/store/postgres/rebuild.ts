import { bigintSql, type Db, execute, rows, type SqlValue } from '../../../infra/db.ts';
import { EVENT_KINDS } from '../../kinds.ts';
import { MANY_EVENTS } from './append.ts';
import { pack } from './compact.ts';
import {
  countsOf,
  fineDimensions,
  lockEvents,
  lockRollups,
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
  await lockRollups(trx, projectId);
  await execute(trx, "SET LOCAL work_mem = '256MB'");
  // Postgres has no statistics of what this transaction makes, and would compare every row with every other.
  await execute(trx, 'SET LOCAL enable_nestloop = off');
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
           AND bucket >= greatest(:from::timestamptz, :time)
         UNION ALL
        SELECT min(bucket) FROM rollup_deltas
         WHERE project_id = :projectId AND event = kind.event AND dimension = 'all' AND NOT is_record
           AND bucket >= greatest(:from::timestamptz, :time)) AS found`,
    { ...of, time, events: EVENT_KINDS },
  );
  return row!.month ?? undefined;
}

/** Derives the days of one month, and the month, with the values that they refer to. */
export async function deriveMonth(trx: Db, of: Rebuild, month: Date): Promise<void> {
  const { projectId } = of;
  const bindings = { ...of, month, next: monthAfter(month) };
  const inMonth = (source: string) =>
    `(SELECT * FROM ${source} AS of_month WHERE occurred_at >= :month AND occurred_at < :next)`;
  await addDestinations(trx, inMonth(EVENTS), bindings);
  for (const scope of ['domain', 'record'] as const) {
    const { table, key } = TABLES[scope];
    const scoped = { ...bindings, isRecord: scope === 'record' };
    const isOfMonth =
      'project_id = :projectId AND bucket >= greatest(:from::timestamptz, :month) AND bucket < :next';
    await execute(trx, `DELETE FROM ${table} WHERE ${isOfMonth}`, scoped);
    await execute(
      trx,
      `DELETE FROM rollup_deltas WHERE is_record = :isRecord AND ${isOfMonth}`,
      scoped,
    );
    const source = scope === 'domain' ? EVENTS : ROLLED_EVENTS;
    await execute(
      trx,
      `CREATE TEMP TABLE made ON COMMIT DROP AS ${countsOf(inMonth(source), scope)}`,
      bindings,
    );
    await addValues(trx);
    await execute(
      trx,
      `CREATE TEMP TABLE numbered ON COMMIT DROP AS
       SELECT m.owner, m.dimension, m.event, m.bucket, m.quarter, coalesce(v.id, 0) AS id, m.count, m.amount
         FROM made m LEFT JOIN event_values v
           ON v.project_id = m.project_id AND v.dimension = m.dimension AND md5(v.value) = md5(m.value)`,
    );
    for (const [step, bucket, id] of PACKED) {
      const summed = `(SELECT owner, dimension, event, '${step}'::"char" AS step, ${bucket} AS bucket, ${id} AS id,
          sum(count)::bigint AS n, ${bigintSql('sum(amount)')} AS amount FROM numbered GROUP BY 1, 2, 3, 5, 6) AS summed`;
      await execute(
        trx,
        `INSERT INTO ${table} (project_id, ${key}, dimension, event, step, bucket, ids, counts, amounts)
         ${pack(summed, 'owner, dimension, event, step, bucket')}`,
        { projectId },
      );
    }
    await execute(trx, 'DROP TABLE made, numbered');
  }
}

/** Steps of rollups, with their buckets and the ids of their counts. */
const PACKED = [
  ['d', 'bucket', 'coalesce(id * 96 + quarter, id)'],
  ['m', "date_trunc('month', bucket, 'UTC')", 'id'],
] as const;

/** Adds the values of the table `made` that are new. */
async function addValues(trx: Db): Promise<void> {
  await execute(
    trx,
    `INSERT INTO event_values (project_id, dimension, value)
     SELECT DISTINCT project_id, dimension, value COLLATE "C" FROM made WHERE dimension <> 'all'
      ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`,
  );
}

/** Adds the whole destinations of events, which filters search. */
async function addDestinations(
  trx: Db,
  source: string,
  bindings: Readonly<Record<string, SqlValue>>,
): Promise<void> {
  await execute(
    trx,
    `INSERT INTO event_values (project_id, dimension, value)
     SELECT DISTINCT e.project_id, 'destination', e.url COLLATE "C" FROM ${source} AS e
      ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`,
    bindings,
  );
}

/** The first moment of the next month of UTC. */
export const monthAfter = (month: Date) =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1));

const EVENTS = '(SELECT * FROM events WHERE project_id = :projectId AND occurred_at >= :from)';

const ROLLED_EVENTS = `(SELECT v.* FROM events v
    JOIN counters c ON c.project_id = v.project_id AND c.record_id = v.link_id
   WHERE v.project_id = :projectId AND v.occurred_at >= :from AND v.occurred_at >= c.rolled_from)`;

async function compare(trx: Db, scope: Scope, source: string, of: Rebuild): Promise<Differences> {
  const { table, key } = TABLES[scope];
  const month = "date_trunc('month', bucket, 'UTC')";
  const same = ['owner', 'event', 'dimension', 'step', 'bucket', 'quarter', 'value'];
  const entries = 'CROSS JOIN LATERAL unnest(r.ids, r.counts, r.amounts) AS u(id, n, amount)';
  const [row] = await rows<Differences>(
    trx,
    `WITH days AS (${countsOf(source, scope)}),
     made AS (
       SELECT owner, event, dimension, step, bucket, quarter, value, sum(count) AS count, sum(amount) AS amount
         FROM (SELECT owner, event, dimension, 'd' AS step, bucket, coalesce(quarter, -1) AS quarter, value, count, amount FROM days
                UNION ALL SELECT owner, event, dimension, 'm', ${month}, -1, value, count, amount FROM days) AS steps
        GROUP BY 1, 2, 3, 4, 5, 6, 7),
     numbered AS (
       SELECT r.${key} AS owner, r.event, r.dimension, r.step, r.bucket, u.id, u.n, u.amount
         FROM ${table} r ${entries} WHERE r.project_id = :projectId AND r.bucket >= :from
        UNION ALL
       SELECT r.owner, r.event, r.dimension, 'd', r.bucket, u.id, u.n, u.amount
         FROM rollup_deltas r ${entries} WHERE r.project_id = :projectId AND r.is_record = :isRecord AND r.bucket >= :from
        UNION ALL
       SELECT r.owner, r.event, r.dimension, 'm', date_trunc('month', r.bucket, 'UTC'),
              CASE WHEN r.dimension = ANY(:fine) THEN u.id / 96 ELSE u.id END, u.n, u.amount
         FROM rollup_deltas r ${entries} WHERE r.project_id = :projectId AND r.is_record = :isRecord AND r.bucket >= :from),
     kept AS (
       SELECT k.owner, k.event, k.dimension, k.step::text AS step, k.bucket,
              CASE WHEN k.step = 'd' AND k.dimension = ANY(:fine) THEN (k.id % 96)::int ELSE -1 END AS quarter,
              CASE WHEN k.dimension = 'all' THEN '' ELSE v.value END AS value, k.count, k.amount
         FROM (SELECT owner, event, dimension, step, bucket, id, sum(n) AS count, coalesce(sum(amount), 0) AS amount
                 FROM numbered GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(n) <> 0) AS k
         LEFT JOIN event_values v ON v.project_id = :projectId AND v.dimension = k.dimension
          AND v.id = CASE WHEN k.step = 'd' AND k.dimension = ANY(:fine) THEN k.id / 96 ELSE k.id END)
     SELECT count(made.count) AS rows,
            count(*) FILTER (WHERE kept.count IS NULL) AS missing,
            count(*) FILTER (WHERE made.count IS NULL) AS surplus,
            count(*) FILTER (WHERE kept.count <> made.count OR kept.amount <> made.amount) AS different
       FROM made FULL JOIN kept ON ${same.map((name) => `kept.${name} = made.${name}`).join(' AND ')}`,
    { ...of, isRecord: scope === 'record', fine: fineDimensions(scope) },
  );
  return row!;
}
