import { config } from '../config.ts';
import { newId } from '../ids.ts';
import { afterCommit, type Db, db, execute, rows } from '../infra/db.ts';
import { seal } from '../infra/seal.ts';
import { followUps } from '../jobs/follow-up.ts';
import { mailJobs } from './jobs.ts';
import { type Message, toContent } from './message.ts';

/*
 * A transactional outbox: a mail is written in the transaction of what it tells of, so neither exists without the other.
 * It is sent after the commit; a sweep finds mails whose job was lost.
 */

/** A mail to one person. */
export interface NewMail {
  projectId: string;
  /** `null`: somebody who is no member of the workspace. The mail of a member goes with their membership. */
  userId: string | null;
  kind: string;
  recipient: string;
  message: Message;
}

/** True where the operator has set up a mail server. */
export const isMailSetUp = (): boolean => config().SMTP_URL !== '';

/** Stores mails, and has them sent after the commit; without a mail server, does nothing. */
export async function addMails(trx: Db, mails: readonly NewMail[]): Promise<void> {
  // Owners whom the command line made up have an address that nobody can have (RFC 2606).
  const sent = mails.filter(({ recipient }) => !recipient.endsWith('.invalid'));
  if (sent.length === 0 || !isMailSetUp()) return;
  const added = sent.map(({ projectId, userId, kind, recipient, message }) => ({
    id: newId('mail'),
    project_id: projectId,
    user_id: userId,
    kind,
    recipient,
    content: seal({ purpose: 'mail', owner: projectId }, JSON.stringify(toContent(message))),
  }));
  await trx('mails').insert(added);
  afterCommit(trx, () => {
    for (const { id, project_id } of added) queueMail(id, project_id).catch(() => {});
  });
}

const queueMail = (mailId: string, projectId: string): Promise<void> =>
  followUps().add(mailJobs['mail.send'], { mailId }, { jobId: mailId, projectId });

/**
 * Ages of mails whose jobs are looked for, in minutes. A job is tried for 22 hours: one that is a dead letter then, and is
 * discarded, must not come back.
 */
const SWEPT = { from: 1, until: 20 * 60 };
const MOST_SWEPT = 1_000;

/** Adds jobs of mails that wait and may have none; one that has a job keeps it. */
export async function sweepMails(): Promise<void> {
  const waiting = await rows<{ id: string; project_id: string }>(
    db(),
    `SELECT id, project_id FROM mails
      WHERE state = 'pending' AND created_at < now() - make_interval(mins => :from)
        AND created_at > now() - make_interval(mins => :until)
      ORDER BY created_at LIMIT :most`,
    { ...SWEPT, most: MOST_SWEPT },
  );
  for (const { id, project_id } of waiting) await queueMail(id, project_id);
}

/** Days for which mails are remembered: they have email addresses. */
const KEPT_DAYS = 30;

/** Deletes mails past their retention. */
export async function pruneMails(): Promise<void> {
  await execute(db(), 'DELETE FROM mails WHERE created_at < now() - make_interval(days => ?)', [
    KEPT_DAYS,
  ]);
}
