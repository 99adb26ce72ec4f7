import { type Db, db } from '../infra/db.ts';
import { EVENT_NAMES } from './event.ts';
import { type Scope, summedLater, TABLES } from './rollups.ts';

/**
 * Sums up the months that are over, of what is kept by days until then. A day later than they end, since some visits are
 * late; those that are later still are added to days and months alike.
 */
export async function sumUpMonths(): Promise<undefined> {
  const { rows } = await db().raw<{ rows: { id: string; until: Date }[] }>(
    `SELECT id, over.until FROM workspaces,
            (SELECT date_trunc('month', now() - interval '1 day', 'UTC') AS until) AS over
      WHERE summed_until < over.until ORDER BY id`,
  );
  for (const { id, until } of rows) await sumUp(id, until);
  return undefined;
}

async function sumUp(projectId: string, until: Date): Promise<void> {
  await db().transaction(async (trx) => {
    // Whoever stores events must know how far the months go, so they wait for it.
    await trx.raw('LOCK TABLE rollups, record_rollups IN EXCLUSIVE MODE');
    await sumUpIn(trx, 'domain', projectId, until);
    await sumUpIn(trx, 'record', projectId, until);
    await trx('workspaces').where({ id: projectId }).update({ summed_until: until });
  });
}

async function sumUpIn(trx: Db, scope: Scope, projectId: string, until: Date): Promise<void> {
  const { table, key, primaryKey } = TABLES[scope];
  await trx.raw(
    `INSERT INTO ${table} (project_id, event, dimension, step, bucket, ${key}, value, count, amount_cents)
     SELECT d.project_id, d.event, d.dimension, 'm', date_trunc('month', d.bucket, 'UTC'), d.${key}, d.value,
            sum(d.count), sum(d.amount_cents)
       FROM ${table} d JOIN workspaces w ON w.id = d.project_id
      WHERE d.project_id = :projectId AND d.event = ANY(:events) AND d.dimension = ANY(:dimensions)
        AND d.step = 'd' AND d.bucket >= w.summed_until AND d.bucket < :until
      GROUP BY 1, 2, 3, 5, 6, 7 ORDER BY 1, 2, 3, 5, 6, 7
     ON CONFLICT (${primaryKey})
       DO UPDATE SET count = excluded.count, amount_cents = excluded.amount_cents`,
    {
      projectId,
      until,
      events: EVENT_NAMES,
      dimensions: summedLater(scope),
    } as unknown as Record<string, string>,
  );
}
