import { db } from '../infra/db.ts';
import { RETENTION_DAYS } from '../workspaces/plans.ts';
import { EVENT_NAMES } from './event.ts';

const CHUNK = 20_000;

interface Kept {
  id: string;
  /** First moment that is kept: the first of a month of UTC. */
  from: Date;
}

/**
 * Takes away events that are older than their workspaces keep them, whole months at a time; their rollups stay. Then
 * lets go of partitions in which nothing is left.
 */
export async function retainEvents(): Promise<undefined> {
  const plans = Object.entries(RETENTION_DAYS)
    .map(([plan, days]) => `('${plan}', ${days})`)
    .join(', ');
  const { rows } = await db().raw<{ rows: Kept[] }>(
    `SELECT w.id, date_trunc('month', now() - make_interval(days => coalesce(w.retention_days, p.days)), 'UTC') AS from
       FROM workspaces w JOIN (VALUES ${plans}) AS p(plan, days) ON p.plan = w.plan
      WHERE coalesce(w.retention_days, p.days) > 0`,
  );
  for (const kept of rows) await forget(kept);
  await dropEmptyPartitions();
  return undefined;
}

async function forget({ id: projectId, from }: Kept): Promise<void> {
  const old = 'project_id = :projectId AND event = ANY(:events) AND occurred_at < :from';
  const of = { projectId, events: EVENT_NAMES, from, limit: CHUNK } as unknown as Record<
    string,
    string
  >;
  const { rows } = await db().raw<{ rows: [{ hasOld: boolean }] }>(
    `SELECT EXISTS (SELECT 1 FROM events WHERE ${old}) AS "hasOld"`,
    of,
  );
  if (!rows[0].hasOld) return;
  // First: from now on no rebuild looks for what is about to go.
  await db().raw(
    'UPDATE workspaces SET events_from = greatest(events_from, :from) WHERE id = :projectId',
    of,
  );
  for (;;) {
    const { rowCount } = await db().raw<{ rowCount: number }>(
      `DELETE FROM events WHERE (project_id, event, occurred_at, id) IN
         (SELECT project_id, event, occurred_at, id FROM events WHERE ${old} LIMIT :limit)`,
      of,
    );
    if (rowCount < CHUNK) return;
  }
}

/** Of months that are over for good: an empty partition of the past costs every question a look. */
async function dropEmptyPartitions(): Promise<void> {
  const { rows } = await db().raw<{ rows: { name: string }[] }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_\\d{4}_\\d{2}$'
        AND to_date(right(c.relname, 7), 'YYYY_MM') < date_trunc('month', now() - interval '2 months')`,
  );
  for (const { name } of rows) {
    await db().transaction(async (trx) => {
      await trx.raw('LOCK TABLE ?? IN ACCESS EXCLUSIVE MODE', [name]);
      const { rows: left } = await trx.raw<{ rows: object[] }>('SELECT 1 FROM ?? LIMIT 1', [name]);
      if (left.length > 0) return;
      await trx.raw('ALTER TABLE events DETACH PARTITION ??', [name]);
      await trx.raw('DROP TABLE ??', [name]);
    });
  }
}
