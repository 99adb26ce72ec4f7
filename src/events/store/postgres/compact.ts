import { type Db, db } from '../infra/db.ts';
import { EVENT_NAMES } from './event.ts';
import { type Scope, summedLater, TABLES } from './rollups.ts';

const STEPS = [
  ['w', 'week'],
  ['m', 'month'],
] as const;

/**
 * Sums up the weeks and months that are over, of what is kept by days until then. A day later than they end, since some
 * visits are late; those that are later still are added to days, weeks and months alike.
 */
export async function sumUp(): Promise<undefined> {
  const { rows } = await db().raw<{ rows: { id: string; until: Date }[] }>(
    `SELECT id, over.until FROM workspaces,
            (SELECT date_trunc('day', now() - interval '1 day', 'UTC') AS until) AS over
      WHERE ${STEPS.map(([, unit]) => `date_trunc('${unit}', summed_until, 'UTC') < date_trunc('${unit}', over.until, 'UTC')`).join(' OR ')}
      ORDER BY id`,
  );
  for (const { id, until } of rows) await sumUpWorkspace(id, until);
  return undefined;
}

async function sumUpWorkspace(projectId: string, until: Date): Promise<void> {
  await db().transaction(async (trx) => {
    // Whoever stores events must know what is summed up, so they wait for it.
    await trx.raw('LOCK TABLE rollups, record_rollups IN EXCLUSIVE MODE');
    for (const scope of ['domain', 'record'] as const) {
      for (const [step, unit] of STEPS) await sumUpStep(trx, scope, step, unit, projectId, until);
    }
    await trx('workspaces').where({ id: projectId }).update({ summed_until: until });
  });
}

function sumUpStep(
  trx: Db,
  scope: Scope,
  step: string,
  unit: string,
  projectId: string,
  until: Date,
): Promise<void> {
  const days = `d.bucket >= date_trunc('${unit}', w.summed_until, 'UTC')
        AND d.bucket < date_trunc('${unit}', :until::timestamptz, 'UTC')`;
  return sumUpDays(trx, scope, { step, unit, days }, { projectId, until });
}

/** Makes the week in which a moment lies of its days anew, where weeks are summed up so far. */
export function sumUpWeekOf(
  trx: Db,
  scope: Scope,
  { projectId, from }: { projectId?: string; from?: string },
): Promise<void> {
  const days = `d.bucket >= date_trunc('week', :from::timestamptz, 'UTC')
        AND d.bucket < least(date_trunc('week', :from::timestamptz, 'UTC') + interval '7 days',
                             date_trunc('week', w.summed_until, 'UTC'))`;
  return sumUpDays(trx, scope, { step: 'w', unit: 'week', days }, { projectId, from });
}

async function sumUpDays(
  trx: Db,
  scope: Scope,
  { step, unit, days }: { step: string; unit: string; days: string },
  bindings: object,
): Promise<void> {
  const { table, key, primaryKey } = TABLES[scope];
  await trx.raw(
    `INSERT INTO ${table} (project_id, event, dimension, step, bucket, ${key}, value, count, amount_cents)
     SELECT d.project_id, d.event, d.dimension, '${step}', date_trunc('${unit}', d.bucket, 'UTC'), d.${key}, d.value,
            sum(d.count), sum(d.amount_cents)
       FROM ${table} d JOIN workspaces w ON w.id = d.project_id
      WHERE d.project_id = :projectId AND d.event = ANY(:events) AND d.dimension = ANY(:dimensions)
        AND d.step = 'd' AND ${days}
      GROUP BY 1, 2, 3, 5, 6, 7 ORDER BY 1, 2, 3, 5, 6, 7
     ON CONFLICT (${primaryKey})
       DO UPDATE SET count = excluded.count, amount_cents = excluded.amount_cents`,
    { ...bindings, events: EVENT_NAMES, dimensions: summedLater(scope) } as unknown as Record<
      string,
      string
    >,
  );
}
