import { Joi, requiredCount } from '../http/fields.ts';
import { execute } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { publishEvents } from '../webhooks/outbox.ts';
import type { ReachedLimit } from './jobs.ts';

/**
 * Notifies webhooks and people that a limit is close or reached, at most once a day for each share.
 */
export function announceLimit(reached: ReachedLimit, job: JobContext): Promise<void> {
  const { limit, percent, at, most } = reached;
  return runIdempotent(job, async (trx) => {
    const { projectId } = job;
    const isNew = await execute(
      trx,
      `INSERT INTO limit_alerts AS known (project_id, limit_name, percent, reached_on)
       VALUES (:projectId, :limit, :percent, (:at::timestamptz AT TIME ZONE 'UTC')::date)
       ON CONFLICT (project_id, limit_name, percent) DO UPDATE SET reached_on = excluded.reached_on
        WHERE known.reached_on < excluded.reached_on`,
      { projectId, limit, percent, at },
    );
    if (isNew > 0) {
      const data = () => ({ limit, percent, most });
      const occurredAt = new Date(at);
      await publishEvents(trx, projectId, [
        { kind: 'limit.reached', occurredAt, recordId: null, data },
      ]);
    }
  });
}

/** Schema of the data of `limit.reached`, for the reference. */
export const limitRecord = Joi.object({
  limit: Joi.string()
    .valid('requestsPerMinute')
    .required()
    .description('The limit, by its name in `limits` of the workspace.'),
  percent: Joi.number()
    .valid(80, 100)
    .required()
    .description('Used share of the limit, in percent.'),
  most: requiredCount.description('The limit itself.').example(600),
}).meta({ name: 'ReachedLimit' });
