import { deleteOlder } from '../infra/delete-older.ts';
import { handlers } from '../queues/job.ts';
import { KEPT_DAYS } from './history.ts';
import { historyJobs } from './jobs.ts';

/** Deletes entries that are older than {@link KEPT_DAYS}. */
export const pruneHistory = (): Promise<void> =>
  deleteOlder({
    table: 'record_changes',
    key: ['project_id', 'record_id', 'id'],
    since: 'at',
    days: KEPT_DAYS,
  });

export const historyHandlers = handlers(historyJobs, {
  'history.prune': pruneHistory,
});
