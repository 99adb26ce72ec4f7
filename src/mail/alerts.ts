import { config } from '../config.ts';
import { type Db, db, rows } from '../infra/db.ts';
import { isMailSetUp } from '../infra/mail-server.ts';
import { handlers } from '../queues/job.ts';
import { memberLimitsSql } from '../workspaces/limits.ts';
import type { Role } from '../workspaces/roles.ts';
import { ALERT_KINDS, type AlertKind, alertOf, alertsOf, isAlertKind } from './alert-kinds.ts';
import { mailMaintenanceJobs } from './jobs.ts';
import type { Message } from './message.ts';
import { addMails, pruneMails } from './outbox.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

/*
 * Alerts wait in a table until their kind is due, so that one mail covers everything that happened
 * meanwhile: when a host goes down, hundreds of destinations break within minutes.
 */

/** The parts of a webhook event that an alert needs. */
interface AlertEvent {
  kind: string;
  data(): object;
}

/** Stores the alerts for events, in the transaction that publishes them. */
export async function addAlerts(
  trx: Db,
  projectId: string,
  events: readonly AlertEvent[],
): Promise<void> {
  if (!isMailSetUp()) return;
  const alerts = events.flatMap((event) => {
    if (!isAlertKind(event.kind)) return [];
    const line = alertOf(event.kind).line(event.data() as Record<string, unknown>);
    return [{ project_id: projectId, kind: event.kind, line }];
  });
  if (alerts.length > 0) await trx('pending_alerts').insert(alerts);
}

/** Writes the mails of all due kinds, one for each workspace, kind and reader. */
export async function sendAlerts(): Promise<void> {
  for (const kind of ALERT_KINDS) {
    const dueWorkspaces = await rows<{ projectId: string }>(
      db(),
      `SELECT project_id AS "projectId" FROM pending_alerts WHERE kind = ?
        GROUP BY project_id HAVING min(created_at) <= now() - make_interval(mins => ?)`,
      [kind, alertOf(kind).gatheredMinutes],
    );
    for (const { projectId } of dueWorkspaces) {
      await db().transaction((trx) => mailAlerts(trx, projectId, kind));
    }
  }
}

interface Reader {
  userId: string;
  role: Role;
  alerts: AlertKind[] | null;
  email: string;
  workspace: string;
  slug: string;
}

async function mailAlerts(trx: Db, projectId: string, kind: AlertKind): Promise<void> {
  // Of two concurrent runs one takes the alerts; the other waits for it and finds none.
  const alerts = await rows<{ line: string }>(
    trx,
    `WITH alerts AS (DELETE FROM pending_alerts WHERE project_id = ? AND kind = ? RETURNING id, line)
     SELECT line FROM alerts ORDER BY id`,
    [projectId, kind],
  );
  if (alerts.length === 0) return;
  const members = await rows<Reader>(
    trx,
    `SELECT m.user_id AS "userId", m.role, m.alerts, u.email, w.name AS workspace, w.slug
       FROM workspace_users m JOIN users u ON u.id = m.user_id JOIN workspaces w ON w.id = m.project_id
      WHERE m.project_id = ? AND u.disabled_at IS NULL AND ${memberLimitsSql} IS NULL ORDER BY m.user_id`,
    [projectId],
  );
  const readers = members.filter(({ role, alerts }) => alertsOf(role, alerts).includes(kind));
  const lines = alerts.map(({ line }) => line);
  await addMails(
    trx,
    readers.map((reader) => ({
      projectId,
      userId: reader.userId,
      kind,
      recipient: reader.email,
      message: {
        ...messageOf(kind, lines, reader),
        unsubscribeUrl: unsubscribeUrl({ subscriberId: reader.userId, projectId, kind }),
      },
    })),
  );
}

/** Maximum number of events listed in a mail. */
const MAX_LISTED = 20;

function messageOf(
  kind: AlertKind,
  events: readonly string[],
  { workspace, slug }: { workspace: string; slug: string },
): Message {
  const { title, view } = alertOf(kind);
  const restCount = events.length - MAX_LISTED;
  return {
    subject: `${workspace}: ${title(events.length)}`,
    lines: [...events.slice(0, MAX_LISTED), ...(restCount > 0 ? [`and ${restCount} more`] : [])],
    action: { label: 'Open the console', url: `${config().BASE_URL}/console/${slug}/${view}` },
    reason: `You get this because you are a member of "${workspace}".`,
  };
}

export const mailMaintenanceHandlers = handlers(mailMaintenanceJobs, {
  'alerts.send': sendAlerts,
  'mails.prune': pruneMails,
});
