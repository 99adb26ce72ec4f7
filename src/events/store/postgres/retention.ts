import { type Db, db, execute, rows } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { RETENTION_DAYS } from '../../../workspaces/plans.ts';
import { STORED_KINDS, type StoredKind } from '../../kinds.ts';
import { eachWorkspace } from './each-workspace.ts';
import { emptyBlocksOf } from './empty-blocks.ts';
import { COUNTED_COLUMNS, type CountedEvent } from './event-counter.ts';
import { KeptCounter, mergeMonths } from './keep-counts.ts';
import { QUARTER_MS } from './quarters.ts';
import { withShortLocks } from './short-locks.ts';

/** Number of events deleted per transaction; their counts take some 50 MB. */
const CHUNK = 10_000;

/** A workspace with limited retention of events. */
export interface RetainedWorkspace {
  id: string;
  /** Start of the month (UTC) from which events are kept. */
  from: Date;
}

/**
 * Deletes events that are past the retention of their workspaces, whole months at a time, and keeps
 * their counts. Then drops empty partitions.
 */
export async function retainEvents(log: Log): Promise<void> {
  await eachWorkspace(await findRetained(), retainWorkspace, log);
  await dropEmptyPartitions();
}

/** Finds the workspaces with limited retention. */
export function findRetained(): Promise<RetainedWorkspace[]> {
  const plans = Object.entries(RETENTION_DAYS)
    .map(([plan, days]) => `('${plan}', ${days})`)
    .join(', ');
  return rows<RetainedWorkspace>(
    db(),
    `SELECT w.id, date_trunc('month', now() - make_interval(days => coalesce(w.retention_days, p.days)), 'UTC') AS from
       FROM workspaces w JOIN (VALUES ${plans}) AS p(plan, days) ON p.plan = w.plan
      WHERE coalesce(w.retention_days, p.days) > 0`,
  );
}

async function retainWorkspace({ id: projectId, from }: RetainedWorkspace): Promise<void> {
  let hasDeleted = false;
  for (const event of STORED_KINDS) {
    for (let isMore = true; isMore; ) {
      isMore = await db().transaction((trx) => deleteChunk(trx, { projectId, event, from }));
      hasDeleted ||= isMore;
    }
  }
  if (hasDeleted) await db().transaction((trx) => mergeMonths(trx, projectId));
}

/** An event that retention deletes. */
type Deleted = CountedEvent & { occurred_at: Date; hasRecord: boolean };

/**
 * Deletes the oldest events of a kind, and keeps the counts of exactly those.
 *
 * @returns false if there are none
 */
async function deleteChunk(
  trx: Db,
  { projectId, event, from }: { projectId: string; event: StoredKind; from: Date },
): Promise<boolean> {
  const found = await rows<Deleted & { isDeleted: boolean }>(
    trx,
    `WITH chosen AS MATERIALIZED (
       SELECT project_id, event, occurred_at, id FROM events
        WHERE project_id = :projectId AND event = :event AND occurred_at < :from ORDER BY occurred_at LIMIT ${CHUNK}),
     gone AS (
       DELETE FROM events e USING chosen c
        WHERE e.project_id = c.project_id AND e.event = c.event AND e.occurred_at = c.occurred_at AND e.id = c.id
       RETURNING e.*),
     names AS (${KEEP_NAMES})
     SELECT g.id IS NOT NULL AS "isDeleted", g.occurred_at, ${COUNTED_COLUMNS.map((name) => `g.${name}`).join(', ')},
            (EXISTS (SELECT 1 FROM links l WHERE l.project_id = :projectId AND l.id = g.link_id)
              OR EXISTS (SELECT 1 FROM qrcodes q WHERE q.project_id = :projectId AND q.id = g.link_id)
              OR EXISTS (SELECT 1 FROM trash t WHERE t.project_id = :projectId AND t.id = g.link_id)) AS "hasRecord"
       -- An erasure can have deleted a chosen event meanwhile.
       FROM chosen LEFT JOIN gone g USING (event, occurred_at, id)`,
    { projectId, event, from },
  );
  const deleted = found.filter(({ isDeleted }) => isDeleted);
  const counter = new KeptCounter(projectId);
  for (const { occurred_at, hasRecord, ...counted } of deleted) {
    counter.add(counted, Math.floor(occurred_at.getTime() / QUARTER_MS), hasRecord);
  }
  await counter.write(trx);
  await emptyBlocksOf(
    trx,
    deleted.map(({ occurred_at }) => ({ project_id: projectId, occurred_at })),
  );
  return found.length > 0;
}

/** Keeps names because kept counts contain only the id of a deleted link or QR code. */
const KEEP_NAMES = `
  INSERT INTO kept_names AS kept (project_id, record_id, domain, key, url, named_at)
  SELECT DISTINCT ON (link_id) project_id, link_id, domain, key, url, occurred_at FROM gone
   WHERE link_id IS NOT NULL ORDER BY link_id, occurred_at DESC
  ON CONFLICT (project_id, record_id) DO UPDATE
    SET domain = excluded.domain, key = excluded.key, url = excluded.url, named_at = excluded.named_at
  WHERE excluded.named_at > kept.named_at`;

/** Drops empty partitions of past months, which every query would scan. */
async function dropEmptyPartitions(): Promise<void> {
  const partitions = await rows<{ name: string }>(
    db(),
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_\\d{4}_\\d{2}$'
        AND to_date(right(c.relname, 7), 'YYYY_MM') < date_trunc('month', now() - interval '2 months')`,
  );
  for (const { name } of partitions) {
    try {
      if (await isEmpty(db(), name)) await dropPartition(name);
    } catch (error) {
      // Another process has dropped it meanwhile.
      if ((error as { code?: unknown }).code !== UNDEFINED_TABLE) throw error;
    }
  }
}

/** Code of Postgres for a table that does not exist (PostgreSQL, Error Codes). */
const UNDEFINED_TABLE = '42P01';

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
