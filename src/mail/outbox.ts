import { newId } from '../ids.ts';
import { afterCommit, type Db, db, execute, rows } from '../infra/db.ts';
import { isMailSetUp } from '../infra/mail-server.ts';
import { seal } from '../infra/seal.ts';
import { followUps } from '../jobs/follow-up.ts';
import { mailJobs } from './jobs.ts';
import { type Message, toContent } from './message.ts';

/*
 * A transactional outbox: a mail is written in the transaction of the change that it reports, so
 * that neither exists without the other. It is sent after the commit; a sweep finds mails whose job
 * was lost.
 */

/** A mail to one person. */
export interface NewMail {
  /** Id of a workspace; `null` for a mail about an account. */
  projectId: string | null;
  /** Id of a member, whose mails are deleted with the membership; `null` for anyone else. */
  userId: string | null;
  /** Id of a recipient of a report, whose mails are deleted with it. */
  reportRecipientId?: string;
  kind: string;
  recipient: string;
  message: Message;
}

/** Stores mails and sends them after the commit; without a mail server, does nothing. */
export async function addMails(trx: Db, mails: readonly NewMail[]): Promise<void> {
  // Owners that the command line created without an address have a reserved one (RFC 2606).
  const deliverable = mails.filter(({ recipient }) => !recipient.endsWith('.invalid'));
  if (deliverable.length === 0 || !isMailSetUp()) return;
  const added = deliverable.map((mail) => {
    const { projectId, userId, reportRecipientId = null, kind, recipient, message } = mail;
    return {
      id: newId('mail'),
      project_id: projectId,
      user_id: userId,
      report_recipient_id: reportRecipientId,
      kind,
      recipient,
      content: seal(
        { purpose: 'mail', owner: projectId ?? '' },
        JSON.stringify(toContent(message)),
      ),
    };
  });
  await trx('mails').insert(added);
  afterCommit(trx, () => {
    for (const { id, project_id } of added) queueMail(id, project_id).catch(() => {});
  });
}

const queueMail = (mailId: string, projectId: string | null): Promise<void> =>
  followUps().add(mailJobs['mail.send'], { mailId }, { jobId: mailId, projectId: projectId ?? '' });

/**
 * Ages of mails whose jobs are checked, in minutes. A job is retried for 22 hours; after that it
 * may be a dead letter that an operator discards, and must not come back.
 */
const SWEPT_AGE_MINUTES = { from: 1, until: 20 * 60 };
const MAX_REQUEUED = 1_000;

/** Adds jobs for waiting mails that may have none; an existing job stays. */
export async function sweepMails(): Promise<void> {
  const waiting = await rows<{ id: string; project_id: string | null }>(
    db(),
    `SELECT id, project_id FROM mails
      WHERE state = 'pending' AND created_at < now() - make_interval(mins => :from)
        AND created_at > now() - make_interval(mins => :until)
      ORDER BY created_at LIMIT :most`,
    { ...SWEPT_AGE_MINUTES, most: MAX_REQUEUED },
  );
  for (const { id, project_id } of waiting) await queueMail(id, project_id);
}

/** Retention of mails in days, since they contain email addresses. */
const KEPT_DAYS = 30;

/** Deletes mails past their retention. */
export async function pruneMails(): Promise<void> {
  await execute(db(), 'DELETE FROM mails WHERE created_at < now() - make_interval(days => ?)', [
    KEPT_DAYS,
  ]);
}
