import { bigintSql, type Db, db, execute, rows, type SqlValue } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { EVENT_KINDS } from '../../kinds.ts';
import { eachWorkspace } from './each-workspace.ts';
import { compactedDimensions, lockEvents, type Scope, TABLES } from './rollups.ts';

const STEPS = [
  ['w', 'week'],
  ['m', 'month'],
] as const;

/**
 * Compacts daily rollups into weekly and monthly ones, a day after the week or month has ended, since some visits are
 * late. Visits that are later still are added to days, weeks and months alike.
 */
export async function compactRollups(log: Log): Promise<void> {
  const found = await rows<{ id: string; until: Date }>(
    db(),
    `SELECT id, over.until FROM workspaces,
            (SELECT date_trunc('day', now() - interval '1 day', 'UTC') AS until) AS over
      WHERE ${STEPS.map(([, unit]) => `date_trunc('${unit}', summed_until, 'UTC') < date_trunc('${unit}', over.until, 'UTC')`).join(' OR ')}
      ORDER BY id`,
  );
  await eachWorkspace(found, compactWorkspace, log);
}

async function compactWorkspace({
  id: projectId,
  until,
}: {
  id: string;
  until: Date;
}): Promise<void> {
  await db().transaction(async (trx) => {
    // Which rollups an event is added to depends on `summed_until`: storing waits until it has changed.
    await lockEvents(trx, projectId);
    for (const scope of ['domain', 'record'] as const) {
      for (const [step, unit] of STEPS) await compactStep(trx, scope, step, unit, projectId, until);
    }
    await trx('workspaces').where({ id: projectId }).update({ summed_until: until });
  });
}

function compactStep(
  trx: Db,
  scope: Scope,
  step: string,
  unit: string,
  projectId: string,
  until: Date,
): Promise<void> {
  const days = `d.bucket >= date_trunc('${unit}', w.summed_until, 'UTC')
        AND d.bucket < date_trunc('${unit}', :until::timestamptz, 'UTC')`;
  return compactDays(trx, scope, { step, unit, days }, { projectId, until });
}

/** Derives weekly rollups from daily ones again, from the week of a time on, as far as weeks are compacted. */
export function compactWeeksFrom(
  trx: Db,
  scope: Scope,
  { projectId, from }: { projectId: string; from: Date | '-infinity' },
): Promise<void> {
  const days = `d.bucket >= date_trunc('week', :from::timestamptz, 'UTC')
        AND d.bucket < date_trunc('week', w.summed_until, 'UTC')`;
  return compactDays(trx, scope, { step: 'w', unit: 'week', days }, { projectId, from });
}

async function compactDays(
  trx: Db,
  scope: Scope,
  { step, unit, days }: { step: string; unit: string; days: string },
  bindings: Readonly<Record<string, SqlValue>>,
): Promise<void> {
  const { table, key, primaryKey } = TABLES[scope];
  await execute(
    trx,
    `INSERT INTO ${table} (project_id, event, dimension, step, bucket, ${key}, value, count, amount_cents)
     SELECT d.project_id, d.event, d.dimension, '${step}', date_trunc('${unit}', d.bucket, 'UTC'), d.${key}, d.value,
            sum(d.count), ${bigintSql('sum(d.amount_cents)')}
       FROM ${table} d JOIN workspaces w ON w.id = d.project_id
      WHERE d.project_id = :projectId AND d.event = ANY(:events) AND d.dimension = ANY(:dimensions)
        AND d.step = 'd' AND ${days}
      GROUP BY 1, 2, 3, 5, 6, 7 ORDER BY 1, 2, 3, 5, 6, 7
     ON CONFLICT (${primaryKey})
       DO UPDATE SET count = excluded.count, amount_cents = excluded.amount_cents`,
    { ...bindings, events: EVENT_KINDS, dimensions: compactedDimensions(scope) },
  );
}
