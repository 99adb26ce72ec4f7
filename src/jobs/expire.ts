import { config } from '../config.ts';
import { db, execute } from '../infra/db.ts';
import { handlers } from '../queues/job.ts';
import { outcomeJobs } from './jobs.ts';
import { KEYED_HOURS } from './outcomes.ts';

/** Retention of the row of a job after its result was deleted. */
const KNOWN_FOR = '30 days';

/** Deletes old results, and later the rows of their jobs. */
export async function expireJobs(): Promise<void> {
  await execute(
    db(),
    `UPDATE jobs SET outcome = NULL, changes = NULL, fingerprint = NULL, first_request = NULL
      WHERE outcome IS NOT NULL AND created_at < now() - make_interval(secs => :seconds)
        AND (fingerprint IS NULL OR created_at < now() - make_interval(hours => :hours))`,
    { seconds: config().JOB_RESULT_SECONDS, hours: KEYED_HOURS },
  );
  await execute(db(), 'DELETE FROM jobs WHERE created_at < now() - ?::interval', [KNOWN_FOR]);
}

export const outcomeHandlers = handlers(outcomeJobs, {
  'jobs.expire': expireJobs,
});
