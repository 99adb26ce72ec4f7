import { deleteOlder } from '../infra/delete-older.ts';
import { handlers } from '../queues/job.ts';
import { auditJobs } from './jobs.ts';

/** Retention of the audit log, in days. */
export const KEPT_DAYS = 400;

/** Deletes rows that are older than {@link KEPT_DAYS}. */
export const pruneAuditLog = (): Promise<void> =>
  deleteOlder({ table: 'audit_log', key: ['project_id', 'id'], since: 'at', days: KEPT_DAYS });

export const auditHandlers = handlers(auditJobs, {
  'audit.prune': pruneAuditLog,
});
