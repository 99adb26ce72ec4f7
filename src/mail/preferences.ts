import { Refusal } from '../errors.ts';
import { type Db, db, rows } from '../infra/db.ts';
import { handlers } from '../queues/job.ts';
import { refuseWithoutFactor } from '../users/sessions.ts';
import { memberLimitsSql } from '../workspaces/limits.ts';
import { includesPlan, type Plan } from '../workspaces/plans.ts';
import type { Role } from '../workspaces/roles.ts';
import { type AlertKind, alertsOf } from './alert-kinds.ts';
import type { Subscription } from './jobs.ts';
import { notificationJobs } from './jobs.ts';
import { type ReportInterval, scheduleOf } from './report-times.ts';
import type { NotificationChanges, NotificationsRecord } from './schema.ts';
import { nextSending } from './sending-times.ts';

/** Lowest plan with reports, as with analytics. */
export const REPORT_PLAN: Plan = 'pro';

interface MemberRow {
  projectId: string;
  slug: string;
  name: string;
  plan: Plan;
  requiresSecondFactor: boolean;
  role: Role;
  alerts: AlertKind[] | null;
  report: ReportInterval | null;
  timezone: string | null;
  dueAt: Date | null;
  /** A limited person gets no mail, which is about the whole workspace. */
  isLimited: boolean;
}

const MEMBERSHIPS = `
  SELECT w.id AS "projectId", w.slug, w.name, w.plan,
         w.require_second_factor AS "requiresSecondFactor", m.role, m.alerts, m.report,
         m.report_timezone AS timezone, m.report_due_at AS "dueAt",
         ${memberLimitsSql} IS NOT NULL AS "isLimited"
    FROM workspace_users m JOIN workspaces w ON w.id = m.project_id
   WHERE m.user_id = :userId`;

const toRecord = ({
  projectId,
  slug,
  name,
  role,
  alerts,
  report,
  timezone,
  dueAt,
}: MemberRow): NotificationsRecord => ({
  projectId,
  slug,
  name,
  alerts: alertsOf(role, alerts),
  report:
    report === null ? null : { every: report, timezone: timezone!, nextAt: dueAt!.toISOString() },
});

/** Reads the mail that a person receives from each of their workspaces. */
export async function readNotifications(userId: string): Promise<NotificationsRecord[]> {
  const memberships = await rows<MemberRow>(db(), `${MEMBERSHIPS} ORDER BY lower(w.name), w.id`, {
    userId,
  });
  return memberships.filter(({ isLimited }) => !isLimited).map(toRecord);
}

async function lockMembership(
  trx: Db,
  { userId, projectId }: { userId: string; projectId: string },
): Promise<MemberRow | undefined> {
  const [row] = await rows<MemberRow>(
    trx,
    `${MEMBERSHIPS} AND m.project_id = :projectId FOR NO KEY UPDATE OF m`,
    { userId, projectId },
  );
  return row;
}

function reportColumns(report: NotificationChanges['report'], before: MemberRow): object {
  if (report === undefined) return {};
  if (report === null) return NO_REPORT;
  const { every, timezone } = report;
  // Saving the same choice must not postpone the next report.
  if (before.report === every && before.timezone === timezone) return {};
  return {
    report: every,
    report_timezone: timezone,
    report_due_at: nextSending(scheduleOf(every, timezone), new Date()),
  };
}

const NO_REPORT = { report: null, report_timezone: null, report_due_at: null };

/** Ends a subscription; does nothing if it has ended already. */
export async function unsubscribe({ kind, ...who }: Subscription): Promise<void> {
  await db().transaction(async (trx) => {
    const before = await lockMembership(trx, who);
    if (before === undefined) return;
    const alerts = alertsOf(before.role, before.alerts).filter((alert) => alert !== kind);
    await trx('workspace_users')
      .where({ project_id: who.projectId, user_id: who.userId })
      .update(kind === 'report' ? NO_REPORT : { alerts });
  });
}

export const notificationHandlers = handlers(notificationJobs, {
  /**
   * Changes the mail that a person receives from a workspace.
   *
   * @throws Refusal `not_found` for a person who is not a member, or limited; `forbidden` for a report that the
   *   plan lacks, or a session without the second factor that the workspace requires
   */
  'notifications.update': async ({ changes: { alerts, report }, hasSecondFactor, ...who }) =>
    db().transaction(async (trx) => {
      const before = await lockMembership(trx, who);
      if (before === undefined || before.isLimited) {
        throw new Refusal('not_found', `You have no workspace "${who.projectId}"`);
      }
      if (before.requiresSecondFactor) refuseWithoutFactor({ hasSecondFactor }, before.slug);
      if (report && !includesPlan(before.plan, REPORT_PLAN)) {
        throw new Refusal(
          'forbidden',
          `report must be null: it needs the ${REPORT_PLAN} plan or higher`,
        );
      }
      await trx('workspace_users')
        .where({ project_id: who.projectId, user_id: who.userId })
        .update({ alerts, ...reportColumns(report, before) });
      return toRecord((await lockMembership(trx, who))!);
    }),
  'notifications.unsubscribe': unsubscribe,
});
