import { config } from '../config.ts';
import { db } from '../infra/db.ts';

/** How long it stays known that a job was there, after its result is gone. */
const KNOWN_FOR = '30 days';

/** Lets go of old results, and later of the jobs themselves. */
export async function expireJobs(): Promise<undefined> {
  await db().raw(
    `UPDATE jobs SET outcome = NULL, changes = NULL
      WHERE outcome IS NOT NULL AND created_at < now() - make_interval(secs => ?)`,
    [config().JOB_RESULT_SECONDS],
  );
  await db().raw('DELETE FROM jobs WHERE created_at < now() - ?::interval', [KNOWN_FOR]);
  return undefined;
}
