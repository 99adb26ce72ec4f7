import { Refusal } from '../errors.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { unseal } from '../infra/seal.ts';
import { hashToken } from '../infra/secrets.ts';
import { addMails } from '../mail/outbox.ts';
import type { Invitation } from './model.ts';

/*
 * Mails about invitations go to people who have not asked for them. Their number is limited, and no
 * text of the sender becomes a link in them.
 */

/** Maximum numbers of mails in 24 hours, by what the mails have in common. */
const LIMITS = [
  { column: 'project_id', max: 20, rule: 'A workspace sends at most 20 invitations' },
  { column: 'invited_by', max: 50, rule: 'A person sends at most 50 invitations' },
  { column: 'recipient', max: 3, rule: 'An email address gets at most 3 invitations' },
] as const;

const WINDOW = '24 hours';

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
  await takeMail(trx, { projectId, invitedBy, recipient });
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

/**
 * Counts a mail. Concurrent mails wait for each other, so that they cannot exceed a limit together.
 *
 * @throws Refusal `rate_limit_exceeded`
 */
async function takeMail(
  trx: Db,
  { projectId, invitedBy, recipient }: { projectId: string; invitedBy: string; recipient: string },
): Promise<void> {
  const mail = { project_id: projectId, invited_by: invitedBy, recipient: mailboxHash(recipient) };
  for (const { column, max, rule } of LIMITS) {
    await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [
      `invitation mails ${column} ${mail[column]}`,
    ]);
    const [{ sent, seconds }] = (await rows<{ sent: number; seconds: number }>(
      trx,
      `SELECT count(*)::int AS sent,
              ceil(extract(epoch FROM min(sent_at) + :window::interval - now()))::int AS seconds
         FROM invitation_mails
        WHERE ${column} = :value AND sent_at > now() - :window::interval`,
      { value: mail[column], window: WINDOW },
    )) as [{ sent: number; seconds: number }];
    if (sent >= max) {
      throw new Refusal('rate_limit_exceeded', `${rule} by email in 24 hours`, {
        retryAfterSeconds: seconds,
      });
    }
  }
  await execute(
    trx,
    `INSERT INTO invitation_mails (project_id, invited_by, recipient)
     VALUES (:project_id, :invited_by, :recipient)`,
    mail,
  );
}

/** Hashes the mailbox of an address: most servers deliver `ada+shop@…` to `ada@…` (RFC 5233). */
const mailboxHash = (email: string): string =>
  hashToken(email.toLowerCase().replace(/^([^@+]*)\+[^@]*@/, '$1@'));

/**
 * Removes everything from a name that mail programs turn into a link; letters, digits and a few
 * other characters remain. Compatibility forms are resolved first (NFKC), because some of them are
 * dots.
 */
export const nameWithoutAddress = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{M}\p{N} &'(),+-]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();

/** Deletes counts of mails that are older than all limits. */
export async function pruneInvitationMails(db: Db): Promise<void> {
  await execute(db, 'DELETE FROM invitation_mails WHERE sent_at < now() - ?::interval', [WINDOW]);
}
