import { Refusal } from '../../errors.ts';
import { refuseChanged } from '../../http/etag.ts';
import { type Db, db, execute } from '../../infra/db.ts';
import { isMailSetUp } from '../../infra/mail-server.ts';
import { runIdempotent } from '../../jobs/run-idempotent.ts';
import { handlers } from '../../queues/job.ts';
import { SharedReport } from '../model.ts';
import { askToConfirm, pruneConfirmationMails } from './confirmation.ts';
import { type RecipientOf, reportRecipientJobs } from './jobs.ts';
import { ReportRecipient } from './model.ts';
import { toRecipient } from './record.ts';
import { MAX_RECIPIENTS } from './schema.ts';

/** Days after the expiry of their link for which people who have not confirmed are stored. */
const KEPT_DAYS = 30;

/** Finds a recipient of a report, and locks both. @throws Refusal `not_found` */
async function lockRecipient(trx: Db, projectId: string, { reportId, id }: RecipientOf) {
  const report = await SharedReport.lock(projectId, reportId, trx);
  const row = await ReportRecipient.of(projectId, trx)
    .where({ report_id: reportId, id })
    .forNoKeyUpdate()
    .first();
  if (row === undefined) throw new Refusal('not_found', `There is no report recipient "${id}"`);
  return { report, row };
}

/** @throws Refusal `unprocessable_entity` if the service cannot ask anyone to confirm */
function refuseWithoutMail(): void {
  if (isMailSetUp()) return;
  throw new Refusal(
    'unprocessable_entity',
    'Reports cannot be sent by email: this installation has no mail server',
  );
}

/** Deletes people who have not confirmed for long, and counts of mails. */
export async function pruneRecipients(): Promise<void> {
  await execute(
    db(),
    `DELETE FROM report_recipients
      WHERE confirmed_at IS NULL AND unsubscribed_at IS NULL
        AND token_expires_at < now() - make_interval(days => ?)`,
    [KEPT_DAYS],
  );
  await pruneConfirmationMails(db());
}

export const reportRecipientHandlers = handlers(reportRecipientJobs, {
  /**
   * Adds a recipient and asks them to confirm. An email address that is there already stays as it
   * is, and gets no other mail.
   *
   * @throws Refusal `not_found`; `unprocessable_entity` if there are too many or no mail server;
   *   `rate_limit_exceeded` after too many mails
   */
  'reportRecipient.create': ({ id, reportId, email, language }, job) =>
    runIdempotent(job, async (trx) => {
      refuseWithoutMail();
      const { projectId } = job;
      const report = await SharedReport.lock(projectId, reportId, trx);
      const all = () => ReportRecipient.of(projectId, trx).where({ report_id: reportId });
      const existing = await all().whereRaw('lower(email) = lower(?)', [email]).first();
      if (existing !== undefined) return toRecipient(existing);
      if ((await all().resultSize()) >= MAX_RECIPIENTS) {
        throw new Refusal(
          'unprocessable_entity',
          `A shared report has at most ${MAX_RECIPIENTS} recipients`,
        );
      }
      const row = await ReportRecipient.add(
        projectId,
        { id, report_id: reportId, email, language },
        trx,
      );
      return toRecipient(await askToConfirm(trx, report, row));
    }),

  /**
   * Sends another confirmation mail.
   *
   * @throws Refusal `not_found`; `conflict` if the person has confirmed or unsubscribed; others as
   *   for a new one
   */
  'reportRecipient.resend': (recipient, job) =>
    runIdempotent(job, async (trx) => {
      refuseWithoutMail();
      const { report, row } = await lockRecipient(trx, job.projectId, recipient);
      if (row.confirmed_at !== null) {
        throw new Refusal('conflict', 'The recipient has confirmed already');
      }
      if (row.unsubscribed_at !== null) {
        throw new Refusal('conflict', 'The recipient has unsubscribed');
      }
      return toRecipient(await askToConfirm(trx, report, row));
    }),

  /** Removes a recipient, whose waiting mails are deleted. @throws Refusal `not_found` */
  'reportRecipient.delete': (recipient, job) =>
    runIdempotent(job, async (trx) => {
      const { row } = await lockRecipient(trx, job.projectId, recipient);
      refuseChanged(job.ifMatch, toRecipient(row));
      await ReportRecipient.of(job.projectId, trx).where({ id: row.id }).delete();
      return { id: row.id };
    }),

  /** Confirms for a person. A repeat confirms again, as long as they have not unsubscribed. */
  'reportRecipient.confirm': async ({ tokenHash }, { projectId }) => {
    const changed = await execute(
      db(),
      `UPDATE report_recipients
          SET confirmed_at = coalesce(confirmed_at, now()), unsubscribed_at = NULL
        WHERE project_id = ? AND token_hash = ? AND token_expires_at > now()`,
      [projectId, tokenHash],
    );
    return changed > 0;
  },

  /** Ends the mails to a person, waiting ones included; does nothing if they have ended. */
  'reportRecipient.unsubscribe': async ({ id }, { projectId }) => {
    await db().transaction(async (trx) => {
      await execute(
        trx,
        `UPDATE report_recipients
            SET confirmed_at = NULL, unsubscribed_at = coalesce(unsubscribed_at, now()),
                token_hash = NULL, token_expires_at = NULL
          WHERE project_id = ? AND id = ?`,
        [projectId, id],
      );
      await execute(
        trx,
        `DELETE FROM mails WHERE project_id = ? AND report_recipient_id = ? AND state <> 'sent'`,
        [projectId, id],
      );
    });
  },
});
