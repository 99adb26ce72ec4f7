import { type Db, db, execute, rows } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { RETENTION_DAYS } from '../../../workspaces/plans.ts';
import { EVENT_KINDS } from '../../kinds.ts';
import { addDeltas, type TimedEvent } from './deltas.ts';
import { eachWorkspace } from './each-workspace.ts';
import { emptyBlocksOf } from './empty-blocks.ts';
import { shareEvents } from './rollups.ts';
import { withShortLocks } from './short-locks.ts';

/**
 * Number of events deleted per transaction, which takes about a second: each event adds about
 * thirty rows to the rollups of its record.
 */
const CHUNK = 2_000;

/** A workspace with limited retention of events. */
export interface RetainedWorkspace {
  id: string;
  /** Start of the month (UTC) from which events are kept. */
  from: Date;
}

/**
 * Deletes events that are past the retention of their workspaces, whole months at a time; their
 * rollups remain. Events of links and QR codes without rollups of their own are added to such
 * rollups in the transaction that deletes them. Then drops empty partitions.
 */
export async function retainEvents(log: Log): Promise<void> {
  await eachWorkspace(await findKept(), retainWorkspace, log);
  await dropEmptyPartitions();
}

/** Finds the workspaces with limited retention, except those whose rollups are to be rebuilt. */
export function findKept(): Promise<RetainedWorkspace[]> {
  const plans = Object.entries(RETENTION_DAYS)
    .map(([plan, days]) => `('${plan}', ${days})`)
    .join(', ');
  return rows<RetainedWorkspace>(
    db(),
    `SELECT w.id, date_trunc('month', now() - make_interval(days => coalesce(w.retention_days, p.days)), 'UTC') AS from
       FROM workspaces w JOIN (VALUES ${plans}) AS p(plan, days) ON p.plan = w.plan
      WHERE coalesce(w.retention_days, p.days) > 0
        -- Events that are in no rollups yet must stay.
        AND NOT EXISTS (SELECT 1 FROM rollup_rebuilds WHERE project_id = w.id)`,
  );
}

async function retainWorkspace({ id: projectId, from }: RetainedWorkspace): Promise<void> {
  const old = 'project_id = :projectId AND event = ANY(:events) AND occurred_at < :from';
  const bindings = { projectId, events: EVENT_KINDS, from, limit: CHUNK };
  const [row] = await rows<{ hasOld: boolean }>(
    db(),
    `SELECT EXISTS (SELECT 1 FROM events WHERE ${old}) AS "hasOld"`,
    bindings,
  );
  if (!row!.hasOld) return;
  if (!(await keepFrom(projectId, from))) return;
  for (;;) {
    const count = await db().transaction(async (trx) => {
      await shareEvents(trx, [projectId]);
      const deleted = await rows<TimedEvent & { isUnrolled: boolean }>(
        trx,
        `WITH gone AS (
           DELETE FROM events WHERE (project_id, event, occurred_at, id) IN
             (SELECT project_id, event, occurred_at, id FROM events WHERE ${old} LIMIT :limit) RETURNING *),
         names AS (${KEEP_NAMES})
         SELECT g.*, (${IS_UNROLLED}) AS "isUnrolled"
           FROM gone g LEFT JOIN counters c ON c.project_id = g.project_id AND c.record_id = g.link_id`,
        bindings,
      );
      await emptyBlocksOf(trx, deleted);
      const events = deleted.filter(({ isUnrolled }) => isUnrolled);
      await addDeltas(trx, 'record', events);
      return deleted.length;
    });
    if (count < CHUNK) return;
  }
}

/**
 * Stores the time from which a workspace keeps its events, before any is deleted; otherwise a
 * rebuild would expect them.
 *
 * @returns false if rollups of the workspace are to be rebuilt, so that no event may be deleted
 */
export async function keepFrom(projectId: string, from: Date): Promise<boolean> {
  const rowCount = await execute(
    db(),
    `UPDATE workspaces SET events_from = greatest(events_from, :from) WHERE id = :projectId
        AND NOT EXISTS (SELECT 1 FROM rollup_rebuilds WHERE project_id = :projectId)`,
    { projectId, from },
  );
  return rowCount > 0;
}

/** Keeps names because rollups contain only the id of a deleted link or QR code. */
const KEEP_NAMES = `
  INSERT INTO record_names AS kept (project_id, record_id, domain, key, url, named_at)
  SELECT DISTINCT ON (link_id) project_id, link_id, domain, key, url, occurred_at FROM gone
   WHERE link_id IS NOT NULL ORDER BY link_id, occurred_at DESC
  ON CONFLICT (project_id, record_id) DO UPDATE
    SET domain = excluded.domain, key = excluded.key, url = excluded.url, named_at = excluded.named_at
  WHERE excluded.named_at > kept.named_at`;

/**
 * SQL that is true for an event of a record without rollups of its own, whose counts are read from
 * events.
 */
const IS_UNROLLED = `
  g.occurred_at < coalesce(c.rolled_from, 'infinity')
     AND (EXISTS (SELECT 1 FROM links l WHERE l.project_id = g.project_id AND l.id = g.link_id)
       OR EXISTS (SELECT 1 FROM qrcodes q WHERE q.project_id = g.project_id AND q.id = g.link_id))`;

/** Drops empty partitions of past months, which every query would scan. */
async function dropEmptyPartitions(): Promise<void> {
  const partitions = await rows<{ name: string }>(
    db(),
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_\\d{4}_\\d{2}$'
        AND to_date(right(c.relname, 7), 'YYYY_MM') < date_trunc('month', now() - interval '2 months')`,
  );
  for (const { name } of partitions) {
    if (await isEmpty(db(), name)) await dropPartition(name);
  }
}

/** Drops a partition. The parent is locked first, as in every statement on events. */
function dropPartition(name: string): Promise<void> {
  return withShortLocks(async (trx) => {
    await execute(trx, 'LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE');
    await execute(trx, 'LOCK TABLE ?? IN ACCESS EXCLUSIVE MODE', [name]);
    if (!(await isEmpty(trx, name))) return;
    await execute(trx, 'ALTER TABLE events DETACH PARTITION ??', [name]);
    await execute(trx, 'DROP TABLE ??', [name]);
  });
}

async function isEmpty(connection: Db, name: string): Promise<boolean> {
  const firstRow = await rows<object>(connection, 'SELECT 1 FROM ?? LIMIT 1', [name]);
  return firstRow.length === 0;
}
