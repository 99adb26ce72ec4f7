import { Refusal } from '../../errors.ts';
import type { EventRecords } from '../../events/records.ts';
import { type Db, db, rows } from '../../infra/db.ts';
import type { Log } from '../../infra/log.ts';
import { isMailSetUp } from '../../infra/mail-server.ts';
import { memoize } from '../../infra/memoize.ts';
import { addMails } from '../../mail/outbox.ts';
import { nextSending, periodOf } from '../../mail/sending-times.ts';
import { unsubscribeUrl } from '../../mail/unsubscribe.ts';
import { readSettings } from '../../settings/queries.ts';
import type { Language } from '../../web/language.ts';
import { includesPlan } from '../../workspaces/plans.ts';
import { SHARED_REPORT_PLAN, SharedReport } from '../model.ts';
import { ReportRecipient } from '../recipients/model.ts';
import { toReport } from '../record.ts';
import { reportMessage } from './message.ts';
import { type MailNumbers, mailNumbers } from './numbers.ts';

/** Maximum number of reports per run. */
const BATCH = 500;

interface Due {
  projectId: string;
  id: string;
  dueAt: Date;
}

/**
 * Writes the mails of all due reports. The mails of a report are written in the transaction that
 * sets the time of the next ones, so they go out exactly once even if the worker dies or two run.
 * If several times were missed, only the latest is sent.
 */
export async function sendReportMails(records: EventRecords, log: Log): Promise<void> {
  const due = await rows<Due>(
    db(),
    `SELECT project_id AS "projectId", id, mail_due_at AS "dueAt" FROM shared_reports
      WHERE mail_due_at <= now() ORDER BY mail_due_at, project_id, id LIMIT ?`,
    [BATCH],
  );
  for (const one of due) {
    // A report whose numbers cannot be read must not delay others; it is due again soon.
    await sendReport(one, records, log).catch((error: unknown) => {
      log.error({ err: error, ...one }, 'a shared report could not be sent');
    });
  }
}

async function sendReport(
  { projectId, id, dueAt }: Due,
  records: EventRecords,
  log: Log,
): Promise<void> {
  const report = await SharedReport.of(projectId).where({ id }).first();
  if (report === undefined || report.schedule === null) return;
  // Another run has sent it.
  if (report.mail_due_at?.getTime() !== dueAt.getTime()) return;
  const { schedule } = report;
  // The clock of the database, by which the report is due, may be ahead of this one.
  const now = new Date(Math.max(Date.now(), dueAt.getTime()));
  const content = await contentToSend(report, now, records).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    log.warn({ err: error, projectId, id }, 'a shared report has no numbers to send');
    return undefined;
  });
  await db().transaction(async (trx) => {
    const row = await SharedReport.of(projectId, trx).where({ id }).forNoKeyUpdate().first();
    // Another run has sent it, or it was changed meanwhile and is due again at once.
    if (row === undefined || stateOf(row) !== stateOf(report)) return;
    await SharedReport.of(projectId, trx)
      .where({ id })
      .patch({ mail_due_at: nextSending(schedule, now) });
    if (content !== undefined && isOpen(row, now)) await writeMails(trx, row, content);
  });
}

/** The columns that a mail follows from. */
const stateOf = ({ mail_due_at, schedule, query, groups }: SharedReport): string =>
  JSON.stringify([mail_due_at, schedule, query, groups]);

const isOpen = ({ expires_at: expiresAt }: SharedReport, now: Date): boolean =>
  expiresAt === null || expiresAt > now;

/** Selects the people who get a report. */
const confirmedOf = (projectId: string, reportId: string, connection: Db) =>
  ReportRecipient.of(projectId, connection)
    .where({ report_id: reportId })
    .whereNotNull('confirmed_at')
    .orderBy('id');

/** The numbers of a report, and the name of its workspace. */
interface Content {
  numbers: MailNumbers;
  workspace: string;
}

/** Reads the content of the mails of a due report; `undefined` if nobody gets any. */
async function contentToSend(
  report: SharedReport,
  now: Date,
  records: EventRecords,
): Promise<Content | undefined> {
  const { project_id: projectId, id, schedule } = report;
  if (!isMailSetUp() || !isOpen(report, now)) return undefined;
  if ((await confirmedOf(projectId, id, db()).resultSize()) === 0) return undefined;
  // The plan may have changed since the report was shared.
  const { plan, name: workspace } = await readSettings(projectId);
  if (!includesPlan(plan, SHARED_REPORT_PLAN)) return undefined;
  const period = periodOf(schedule!, now);
  return { numbers: await mailNumbers(report, period, schedule!.timezone, records), workspace };
}

async function writeMails(
  trx: Db,
  report: SharedReport,
  { numbers, workspace }: Content,
): Promise<void> {
  const { project_id: projectId, expires_at: expiresAt } = report;
  const { name, url } = toReport(report);
  const messageIn = memoize(
    (language: Language) => reportMessage(numbers, { name, workspace, url, language }),
    new Map(),
  );
  // A person who unsubscribes meanwhile waits, and then finds the mail and deletes it.
  const recipients = await confirmedOf(projectId, report.id, trx).forShare();
  await addMails(
    trx,
    recipients.map(({ id, email, language }) => ({
      projectId,
      userId: null,
      reportRecipientId: id,
      kind: 'shared report',
      recipient: email,
      message: {
        ...messageIn(language),
        unsubscribeUrl: unsubscribeUrl({ subscriberId: id, projectId, kind: 'sharedReport' }),
        ...(expiresAt !== null && { expiresAt }),
      },
    })),
  );
}
