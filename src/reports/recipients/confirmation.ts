import { config } from '../../config.ts';
import { type Db, execute, rows } from '../../infra/db.ts';
import { hashToken, newToken } from '../../infra/secrets.ts';
import type { Message } from '../../mail/message.ts';
import { addMails } from '../../mail/outbox.ts';
import type { MailSchedule } from '../../mail/sending-times.ts';
import {
  mailboxHash,
  nameWithoutAddress,
  pruneUnaskedMails,
  takeUnaskedMail,
  type UnaskedLimits,
} from '../../mail/unasked.ts';
import { unsubscribeUrl } from '../../mail/unsubscribe.ts';
import { type Language, say } from '../../web/language.ts';
import type { Phrase } from '../../web/phrases/en.ts';
import { changeRow } from '../../workspaces/change-row.ts';
import type { SharedReport } from '../model.ts';
import { ReportRecipient } from './model.ts';

/** Path below which people confirm that they want a report. */
export const CONFIRM_PATH = '/subscriptions';

/** Time for which a confirmation mail is valid, in days. */
export const VALID_DAYS = 7;

const noun = 'requests to confirm';

/** Limits of confirmation mails, over all reports and workspaces. */
const LIMITS: UnaskedLimits = {
  table: 'confirmation_mails',
  rules: [
    { column: 'project_id', max: 100, hours: 24, subject: 'A workspace sends', noun },
    { column: 'recipient', max: 5, hours: 24, subject: 'An email address gets', noun },
    { column: 'recipient', max: 15, hours: 30 * 24, subject: 'An email address gets', noun },
  ],
};

/** Deletes counts of mails that are older than all limits. */
export const pruneConfirmationMails = (connection: Db): Promise<void> =>
  pruneUnaskedMails(connection, LIMITS);

const FREQUENCIES: Readonly<Record<MailSchedule['every'], Phrase>> = {
  day: 'It is sent every day.',
  week: 'It is sent every week.',
  month: 'It is sent every month.',
};

/** A report as people who have not confirmed it see it. */
export interface ReportNames {
  report: string;
  workspace: string;
  every?: MailSchedule['every'] | undefined;
}

/** Returns the names of a report without anything that mail programs turn into a link. */
export const namesWithoutAddress = (
  { name, schedule }: Pick<SharedReport, 'name' | 'schedule'>,
  workspace: { name: string; slug: string },
): ReportNames => ({
  report: nameWithoutAddress(name),
  workspace: nameWithoutAddress(workspace.name) || workspace.slug,
  every: schedule?.every,
});

/** Describes what a person confirms. */
export const describe = (
  { report, workspace, every }: ReportNames,
  language: Language,
): string[] => [
  say(language, '{} wants to send you a report by email.', workspace),
  ...(report === '' ? [] : [say(language, 'Report: {}', report)]),
  ...(every === undefined ? [] : [say(language, FREQUENCIES[every])]),
];

/**
 * Asks a recipient to confirm. The link in an earlier mail becomes invalid.
 *
 * @returns the changed row
 * @throws Refusal `rate_limit_exceeded`, which names the limit
 */
export async function askToConfirm(
  trx: Db,
  report: SharedReport,
  { project_id: projectId, id, email, language }: ReportRecipient,
): Promise<ReportRecipient> {
  await takeUnaskedMail(trx, LIMITS, { project_id: projectId, recipient: mailboxHash(email) });
  const [workspace] = await rows<{ name: string; slug: string }>(
    trx,
    'SELECT name, slug FROM workspaces WHERE id = ?',
    [projectId],
  );
  const token = newToken();
  const expiresAt = new Date(Date.now() + VALID_DAYS * 86_400_000);
  const message: Message = {
    language,
    subject: say(language, 'Do you want this report by email?'),
    lines: [
      ...describe(namesWithoutAddress(report, workspace!), language),
      say(language, 'The link is valid for {} days.', String(VALID_DAYS)),
    ],
    action: {
      label: say(language, 'Confirm'),
      url: `${config().BASE_URL}${CONFIRM_PATH}/${token}`,
    },
    reason: say(
      language,
      'If you do not want it, ignore this email or unsubscribe: you get the report only if you confirm.',
    ),
    unsubscribeUrl: unsubscribeUrl({ subscriberId: id, projectId, kind: 'sharedReport' }),
    expiresAt,
  };
  // An earlier mail that still waits has a link that no longer works.
  await execute(
    trx,
    `DELETE FROM mails WHERE project_id = ? AND report_recipient_id = ? AND state <> 'sent'`,
    [projectId, id],
  );
  await addMails(trx, [
    {
      projectId,
      userId: null,
      reportRecipientId: id,
      kind: 'report confirmation',
      recipient: email,
      message,
    },
  ]);
  return changeRow(ReportRecipient.of(projectId, trx), id, {
    token_hash: hashToken(token),
    token_expires_at: expiresAt,
  });
}
