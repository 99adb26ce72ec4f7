import { type Db, db, execute, rows } from '../../infra/db.ts';
import type { Log } from '../../infra/log.ts';
import { addMails } from '../../mail/outbox.ts';
import { REPORT_PLAN } from '../../mail/preferences.ts';
import { type ReportInterval, scheduleOf } from '../../mail/report-times.ts';
import { nextSending } from '../../mail/sending-times.ts';
import { unsubscribeUrl } from '../../mail/unsubscribe.ts';
import { memberLimitsSql } from '../../workspaces/limits.ts';
import { includesPlan, type Plan } from '../../workspaces/plans.ts';
import type { RecordNames } from '../records.ts';
import { reportMessage } from './message.ts';
import { makeReport } from './report.ts';

/** Maximum number of reports per run. */
const BATCH = 500;

interface Due {
  projectId: string;
  userId: string;
  every: ReportInterval;
  timezone: string;
  dueAt: Date;
  email: string;
  isDisabled: boolean;
  plan: Plan;
  name: string;
  slug: string;
}

/** Reads name and slug of a workspace, for its mails. */
export async function namesOfWorkspace(projectId: string): Promise<{ name: string; slug: string }> {
  const [workspace] = await rows<{ name: string; slug: string }>(
    db(),
    'SELECT name, slug FROM workspaces WHERE id = ?',
    [projectId],
  );
  return workspace!;
}

/**
 * Writes the mails of all due reports. Each mail is written in the transaction that sets the time
 * of the next report, so it goes out exactly once even if the worker dies. If several reports were
 * missed, only the latest is sent.
 */
export async function sendReports(names: RecordNames, log: Log): Promise<void> {
  const due = await rows<Due>(
    db(),
    `SELECT m.project_id AS "projectId", m.user_id AS "userId", m.report AS every,
            m.report_timezone AS timezone, m.report_due_at AS "dueAt", u.email,
            (u.disabled_at IS NOT NULL OR ${memberLimitsSql} IS NOT NULL) AS "isDisabled", w.plan, w.name, w.slug
       FROM workspace_users m JOIN users u ON u.id = m.user_id JOIN workspaces w ON w.id = m.project_id
      WHERE m.report_due_at <= now() ORDER BY m.report_due_at, m.project_id, m.user_id LIMIT ?`,
    [BATCH],
  );
  for (const report of due) {
    // One workspace whose numbers cannot be read must not delay the reports of others; it is due
    // again soon.
    await sendReport(report, names).catch((error: unknown) => {
      log.error({ err: error, projectId: report.projectId }, 'a report could not be made');
    });
  }
}

async function sendReport(due: Due, names: RecordNames): Promise<void> {
  const { projectId, userId, every, timezone, email } = due;
  // The clock of the database, by which the report is due, may be ahead of this one.
  const now = new Date(Math.max(Date.now(), due.dueAt.getTime()));
  // The plan, the account or its limits may have changed since the person subscribed.
  const isSent = includesPlan(due.plan, REPORT_PLAN) && !due.isDisabled;
  const report = isSent ? await makeReport(projectId, { every, timezone }, now, names) : undefined;
  await db().transaction(async (trx) => {
    if (!(await moveOn(trx, due, now)) || report === undefined) return;
    const message = {
      ...reportMessage(report, due),
      unsubscribeUrl: unsubscribeUrl({ subscriberId: userId, projectId, kind: 'report' }),
    };
    await addMails(trx, [{ projectId, userId, kind: 'report', recipient: email, message }]);
  });
}

/** @returns false if another run has sent the report or the person has changed the subscription */
async function moveOn(
  trx: Db,
  { projectId, userId, every, timezone, dueAt }: Due,
  now: Date,
): Promise<boolean> {
  const next = nextSending(scheduleOf(every, timezone), now);
  const moved = await execute(
    trx,
    `UPDATE workspace_users SET report_due_at = :next
      WHERE project_id = :projectId AND user_id = :userId AND report = :every AND report_timezone = :timezone
        AND date_trunc('milliseconds', report_due_at) = :dueAt`,
    { next, projectId, userId, every, timezone, dueAt },
  );
  return moved > 0;
}
