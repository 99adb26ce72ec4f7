import { Refusal } from '../errors.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { refuseChanged } from '../infra/etag.ts';
import { unseal } from '../infra/seal.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { addMails, isMailSetUp } from '../mail/outbox.ts';
import type { JobContext } from '../queues/queue.ts';
import { addSession, type NewSession } from '../users/commands.ts';
import type { Role } from '../workspaces/roles.ts';
import { Invitation } from './model.ts';
import { invitationGone } from './queries.ts';
import { type InvitationWithUrl, toInvitation } from './record.ts';

/** Time for which an invitation can be accepted. */
export const VALID_DAYS = 7;
/** Most invitations of a workspace that wait to be accepted. */
const MOST = 200;

/** Time for which nobody gets a second mail about an invitation to the same workspace, in minutes. */
const MAIL_MINUTES = 10;

/** The data of a job that creates an invitation. */
export interface CreateInvitation {
  id: string;
  email: string;
  role: Role;
  invitedBy: string;
  /** SHA-256 of the token. */
  hash: string;
  /** Sealed: for the answer alone. */
  url: string;
}

/**
 * Invites a person. An earlier invitation of the same address ends.
 *
 * @throws Refusal `conflict` for a person of the workspace; `unprocessable_entity` when there are too many
 */
export function createInvitation(
  { url, invitedBy, ...columns }: CreateInvitation,
  job: JobContext,
): Promise<InvitationWithUrl> {
  return runIdempotent(job, async (trx) => {
    const { projectId } = job;
    await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [`invitations ${projectId}`]);
    await refuseMember(trx, projectId, columns.email);
    await execute(
      trx,
      `DELETE FROM invitations
        WHERE project_id = ? AND (lower(email) = lower(?) OR expires_at <= now())`,
      [projectId, columns.email],
    );
    if ((await Invitation.of(projectId, trx).resultSize()) >= MOST) {
      throw new Refusal('unprocessable_entity', `A workspace has at most ${MOST} invitations`);
    }
    const expires_at = new Date(Date.now() + VALID_DAYS * 86_400_000);
    const row = await Invitation.add(
      projectId,
      { ...columns, invited_by: invitedBy, expires_at },
      trx,
    );
    const isMailed = await mailInvitation(trx, row, url);
    return { result: { ...toInvitation(row), url: { sealed: url }, isMailed }, changes: [] };
  });
}

/** Sends the address of an invitation to the person. @returns false without a mail server, or soon after another one */
async function mailInvitation(trx: Db, row: Invitation, sealedUrl: string): Promise<boolean> {
  if (!isMailSetUp()) return false;
  const { project_id: projectId, email: recipient, role } = row;
  const [{ name, isRecent }] = (await rows<{ name: string; isRecent: boolean }>(
    trx,
    `SELECT name, EXISTS (
              SELECT FROM mails m
               WHERE m.project_id = w.id AND m.kind = 'invitation' AND lower(m.recipient) = lower(:recipient)
                 AND m.created_at > now() - make_interval(mins => :minutes)) AS "isRecent"
       FROM workspaces w WHERE id = :projectId`,
    { projectId, recipient, minutes: MAIL_MINUTES },
  )) as [{ name: string; isRecent: boolean }];
  if (isRecent) return false;
  const message = {
    subject: `Invitation to the workspace "${name}"`,
    lines: [
      `You are invited to the workspace "${name}", with the role "${role}".`,
      `The invitation is valid for ${VALID_DAYS} days.`,
    ],
    action: { label: 'Accept the invitation', url: unseal({ purpose: 'invitation', owner: projectId }, sealedUrl) },
    reason: 'If you do not know the workspace, ignore this mail: without you, nothing happens.',
  };
  await addMails(trx, [{ projectId, userId: null, kind: 'invitation', recipient, message }]);
  return true;
}

async function refuseMember(trx: Db, projectId: string, email: string): Promise<void> {
  const found = await rows<object>(
    trx,
    `SELECT m.user_id FROM workspace_users m JOIN users u ON u.id = m.user_id
      WHERE m.project_id = ? AND lower(u.email) = lower(?)`,
    [projectId, email],
  );
  if (found.length === 0) return;
  throw new Refusal('conflict', `The person "${email}" belongs to the workspace already`);
}

/** Withdraws an invitation. @throws Refusal `not_found` */
export function deleteInvitation({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return runIdempotent(job, async (trx) => {
    const row = await Invitation.lock(job.projectId, id, trx);
    refuseChanged(job.ifMatch, toInvitation(row));
    await Invitation.of(job.projectId, trx).where({ id }).delete();
    return { result: { id }, changes: [] };
  });
}

/** The data of a job by which a person joins the workspace of an invitation. */
export interface AcceptInvitation {
  /** SHA-256 of the token. */
  hash: string;
  userId: string;
  /** Of a person without an account: what it is made of, and the session that begins. */
  account?: { name: string; passwordHash: string; session: NewSession };
}

/**
 * Adds the person of an invitation to its workspace, and ends the invitation.
 *
 * @throws Refusal `invite_expired`; `conflict` where somebody has made an account with the address meanwhile
 */
export function acceptInvitation(
  { hash, userId, account }: AcceptInvitation,
  job: JobContext,
): Promise<{ userId: string }> {
  return runIdempotent(job, async (trx) => {
    const { projectId } = job;
    const [invitation] = await rows<{ email: string; role: Role }>(
      trx,
      `DELETE FROM invitations WHERE project_id = ? AND hash = ? AND expires_at > now()
       RETURNING email, role`,
      [projectId, hash],
    );
    if (invitation === undefined) throw invitationGone();
    const { email, role } = invitation;
    if (account !== undefined) await addAccount(trx, userId, email, account);
    const joined = await execute(
      trx,
      `INSERT INTO workspace_users (project_id, user_id, role)
       SELECT :projectId, id, :role FROM users WHERE id = :userId AND lower(email) = lower(:email)
       ON CONFLICT (project_id, user_id) DO NOTHING`,
      { projectId, userId, role, email },
    );
    if (joined === 0) throw new Refusal('conflict', 'You belong to the workspace already');
    if (account !== undefined) await addSession(trx, userId, account.session);
    return { result: { userId }, changes: [] };
  });
}

async function addAccount(
  trx: Db,
  id: string,
  email: string,
  { name, passwordHash }: { name: string; passwordHash: string },
): Promise<void> {
  const added = await execute(
    trx,
    `INSERT INTO users (id, email, name, password_hash) VALUES (?, ?, ?, ?)
     ON CONFLICT (lower(email)) DO NOTHING`,
    [id, email, name, passwordHash],
  );
  if (added > 0) return;
  throw new Refusal('conflict', `There is an account with "${email}" already: sign in first`);
}

/** Deletes invitations that have expired: they have e-mail addresses. */
export async function pruneInvitations(): Promise<undefined> {
  await execute(db(), 'DELETE FROM invitations WHERE expires_at <= now()');
  return undefined;
}
