import { db, execute } from '../infra/db.ts';
import { handlers } from '../queues/job.ts';
import { KEPT_DAYS } from './history.ts';
import { historyJobs } from './jobs.ts';

/** Maximum number of entries that one statement deletes. */
const CHUNK = 10_000;

/** Deletes entries that are older than {@link KEPT_DAYS}. */
export async function pruneHistory(): Promise<void> {
  for (;;) {
    const deleted = await execute(
      db(),
      `DELETE FROM record_changes WHERE (project_id, record_id, id) IN
         (SELECT project_id, record_id, id FROM record_changes
           WHERE at < now() - make_interval(days => ?) LIMIT ?)`,
      [KEPT_DAYS, CHUNK],
    );
    if (deleted < CHUNK) return;
  }
}

export const historyHandlers = handlers(historyJobs, {
  'history.prune': pruneHistory,
});
