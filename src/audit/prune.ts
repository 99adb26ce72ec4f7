import { db, execute } from '../infra/db.ts';
import { handlers } from '../queues/job.ts';
import { auditJobs } from './jobs.ts';

/** Retention of the audit log, in days. */
export const KEPT_DAYS = 400;
/** Maximum number of rows that one statement deletes. */
const CHUNK = 10_000;

/** Deletes rows that are older than {@link KEPT_DAYS}. */
export async function pruneAuditLog(): Promise<void> {
  for (;;) {
    const deleted = await execute(
      db(),
      `DELETE FROM audit_log WHERE (project_id, id) IN
         (SELECT project_id, id FROM audit_log WHERE at < now() - make_interval(days => ?) LIMIT ?)`,
      [KEPT_DAYS, CHUNK],
    );
    if (deleted < CHUNK) return;
  }
}

export const auditHandlers = handlers(auditJobs, {
  'audit.prune': pruneAuditLog,
});
