import { deleteOlder } from '../infra/delete-older.ts';
import { handlers } from '../queues/job.ts';
import { KEPT_DAYS } from './history.ts';
import { historyJobs } from './jobs.ts';
import { FAILED_DAYS } from './scheduled.ts';

/** Deletes entries that are older than {@link KEPT_DAYS}. */
export const pruneHistory = (): Promise<void> =>
  deleteOlder({
    table: 'record_changes',
    key: ['project_id', 'record_id', 'id'],
    since: 'at',
    days: KEPT_DAYS,
  });

/** Deletes scheduled changes that failed {@link FAILED_DAYS} ago. */
export const pruneFailedChanges = (): Promise<void> =>
  deleteOlder({
    table: 'scheduled_changes',
    key: ['project_id', 'record_id', 'id'],
    since: 'failed_at',
    days: FAILED_DAYS,
  });

export const historyHandlers = handlers(historyJobs, {
  'history.prune': pruneHistory,
  'changes.prune': pruneFailedChanges,
});
