import { type Db, rows } from '../infra/db.ts';
import { unseal } from '../infra/seal.ts';
import { addMails } from '../mail/outbox.ts';
import {
  mailboxHash,
  nameWithoutAddress,
  pruneUnaskedMails,
  takeUnaskedMail,
  type UnaskedLimits,
} from '../mail/unasked.ts';
import type { Invitation } from './model.ts';

/** Limits of invitations by email. */
const LIMITS: UnaskedLimits = {
  table: 'invitation_mails',
  rules: [
    { column: 'project_id', max: 20, hours: 24, subject: 'A workspace sends', noun: 'invitations' },
    { column: 'invited_by', max: 50, hours: 24, subject: 'A person sends', noun: 'invitations' },
    {
      column: 'recipient',
      max: 3,
      hours: 24,
      subject: 'An email address gets',
      noun: 'invitations',
    },
  ],
};

/**
 * Sends the address of an invitation to its person.
 *
 * @param validDays days for which it can be accepted
 * @throws Refusal `rate_limit_exceeded`, which names the limit
 */
export async function mailInvitation(
  trx: Db,
  row: Invitation,
  { sealedUrl, invitedBy, validDays }: { sealedUrl: string; invitedBy: string; validDays: number },
): Promise<void> {
  const { project_id: projectId, email: recipient, role } = row;
  await takeUnaskedMail(trx, LIMITS, {
    project_id: projectId,
    invited_by: invitedBy,
    recipient: mailboxHash(recipient),
  });
  const url = unseal({ purpose: 'invitation', owner: projectId }, sealedUrl);
  const [names] = await rows<{ name: string; slug: string; inviter: string | null }>(
    trx,
    `SELECT w.name, w.slug, u.email AS inviter
       FROM workspaces w
       LEFT JOIN users u ON u.id = :invitedBy AND u.email_verified_at IS NOT NULL
      WHERE w.id = :projectId`,
    { projectId, invitedBy },
  );
  const { name, slug, inviter } = names!;
  const displayName = nameWithoutAddress(name) || slug;
  const message = {
    subject: inviter === null ? 'Invitation to a workspace' : `${inviter} invites you`,
    lines: [
      `You are invited to the workspace "${displayName}", with the role "${role}".`,
      `The invitation is valid for ${validDays} days.`,
    ],
    action: { label: 'Accept the invitation', url },
    reason: 'If you do not know the sender, ignore this mail: nothing happens unless you accept.',
  };
  await addMails(trx, [{ projectId, userId: null, kind: 'invitation', recipient, message }]);
}

/** Deletes counts of mails that are older than all limits. */
export const pruneInvitationMails = (connection: Db): Promise<void> =>
  pruneUnaskedMails(connection, LIMITS);
