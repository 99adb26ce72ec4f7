import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { isMailSetUp } from '../infra/mail-server.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { addSession } from '../users/commands.ts';
import { proveAddress } from '../users/proof.ts';
import { refuseOwnersLimits, refuseUnknownPlaces } from '../workspaces/limits.ts';
import { invitationJobs, invitationMaintenanceJobs } from './jobs.ts';
import { mailInvitation, pruneInvitationMails } from './mails.ts';
import { Invitation } from './model.ts';
import { invitationGone } from './queries.ts';
import { type InvitationWithUrl, toInvitation } from './record.ts';

/** Time for which an invitation can be accepted, in days. */
export const VALID_DAYS = 7;
/** Maximum number of pending invitations of a workspace. */
const MAX_PENDING = 200;

async function refuseMember(trx: Db, projectId: string, email: string): Promise<void> {
  const members = await rows<object>(
    trx,
    `SELECT m.user_id FROM workspace_users m JOIN users u ON u.id = m.user_id
      WHERE m.project_id = ? AND lower(u.email) = lower(?)`,
    [projectId, email],
  );
  if (members.length === 0) return;
  throw new Refusal('conflict', `The person "${email}" is already in the workspace`);
}

interface InvitedAccount {
  id: string;
  email: string;
  /** True if accepting verifies the address. */
  isMailed: boolean;
  name: string;
  passwordHash: string;
}

async function addAccount(
  trx: Db,
  { id, email, isMailed, name, passwordHash }: InvitedAccount,
): Promise<void> {
  const inserted = await execute(
    trx,
    `INSERT INTO users (id, email, name, password_hash, email_verified_at)
     VALUES (:id, :email, :name, :passwordHash, CASE WHEN :isMailed THEN now() END)
     ON CONFLICT DO NOTHING`,
    { id, email, name, passwordHash, isMailed },
  );
  if (inserted > 0) return;
  if (isMailed && (await proveAddress(trx, id, name))) {
    await execute(trx, 'UPDATE users SET password_hash = ? WHERE id = ?', [passwordHash, id]);
    return;
  }
  throw new Refusal('conflict', `There is already an account with "${email}": sign in first`);
}

/** Columns of an invitation whose link is sent or returned now. */
const newTerm = () => ({
  is_mailed: isMailSetUp(),
  expires_at: new Date(Date.now() + VALID_DAYS * 86_400_000),
});

/** Mails the address of an invitation, or returns it without a mail server. */
async function deliver(
  trx: Db,
  row: Invitation,
  { url, invitedBy }: { url: string; invitedBy: string },
): Promise<InvitationWithUrl> {
  const { is_mailed: isMailed } = row;
  if (isMailed) {
    await mailInvitation(trx, row, { sealedUrl: url, invitedBy, validDays: VALID_DAYS });
  }
  // A mailed address is not returned, because the inviter could accept in place of the person.
  return { ...toInvitation(row), url: isMailed ? null : { sealed: url }, isMailed };
}

/** Deletes expired invitations, which contain email addresses, and counts of mails. */
export async function pruneInvitations(): Promise<void> {
  await execute(db(), 'DELETE FROM invitations WHERE expires_at <= now()');
  await pruneInvitationMails(db());
}

export const invitationHandlers = handlers(invitationJobs, {
  /**
   * Invites a person. An earlier invitation of the same address ends.
   *
   * @throws Refusal `conflict` for a member of the workspace; `unprocessable_entity` for limits of
   * an owner or to unknown places, and when there are too many invitations; `rate_limit_exceeded` after too many mails
   */
  'invitation.create': ({ url, invitedBy, ...columns }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [`invitations ${projectId}`]);
      refuseOwnersLimits(columns.role, columns.limits);
      await refuseUnknownPlaces(trx, projectId, columns.limits);
      await refuseMember(trx, projectId, columns.email);
      await execute(
        trx,
        `DELETE FROM invitations
          WHERE project_id = ? AND (lower(email) = lower(?) OR expires_at <= now())`,
        [projectId, columns.email],
      );
      if ((await Invitation.of(projectId, trx).resultSize()) >= MAX_PENDING) {
        throw new Refusal(
          'unprocessable_entity',
          `A workspace can have at most ${MAX_PENDING} invitations: withdraw others first`,
        );
      }
      const row = await Invitation.add(
        projectId,
        { ...columns, invited_by: invitedBy, ...newTerm() },
        trx,
      );
      return deliver(trx, row, { url, invitedBy });
    }),

  /**
   * Sends another link of an invitation, which is valid anew. The earlier link ends.
   *
   * @throws Refusal `not_found`, also after it has expired; `conflict` for a member of the
   *   workspace; `rate_limit_exceeded` after too many mails
   */
  'invitation.resend': ({ id, url, hash, resentBy }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const row = await Invitation.lock(projectId, id, trx);
      if (row.expires_at <= new Date()) {
        throw new Refusal('not_found', `There is no invitation "${id}"`);
      }
      await refuseMember(trx, projectId, row.email);
      const changed = { hash, ...newTerm() };
      await Invitation.of(projectId, trx).where({ id }).patch(changed);
      return deliver(trx, Object.assign(row, changed), { url, invitedBy: resentBy });
    }),

  /**
   * Withdraws an invitation.
   *
   * @throws Refusal `not_found`
   */
  'invitation.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      const row = await Invitation.lock(job.projectId, id, trx);
      refuseChanged(job.ifMatch, toInvitation(row));
      await Invitation.of(job.projectId, trx).where({ id }).delete();
      return { id };
    }),

  /**
   * Adds the person of an invitation to its workspace, and ends the invitation.
   *
   * @throws Refusal `invite_expired`; `conflict` when somebody has created an account with the
   * address, or verified it, meanwhile
   */
  'invitation.accept': ({ hash, userId, account }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const [invitation] = await rows<
        Pick<Invitation, 'email' | 'role' | 'limits'> & { isMailed: boolean }
      >(
        trx,
        `DELETE FROM invitations WHERE project_id = ? AND hash = ? AND expires_at > now()
         RETURNING email, role, limits, is_mailed AS "isMailed"`,
        [projectId, hash],
      );
      if (invitation === undefined) throw invitationGone();
      const { email, role, limits, isMailed } = invitation;
      if (account !== undefined) await addAccount(trx, { id: userId, email, isMailed, ...account });
      const joined = await execute(
        trx,
        `INSERT INTO workspace_users (project_id, user_id, role, limits)
         SELECT :projectId, id, :role, :limits::jsonb FROM users WHERE id = :userId AND lower(email) = lower(:email)
         ON CONFLICT (project_id, user_id) DO NOTHING`,
        { projectId, userId, role, email, limits: limits && JSON.stringify(limits) },
      );
      if (joined === 0) throw new Refusal('conflict', 'You are already in the workspace');
      if (account !== undefined) await addSession(trx, userId, account.session);
      return { userId };
    }),
});

export const invitationMaintenanceHandlers = handlers(invitationMaintenanceJobs, {
  'invitations.prune': pruneInvitations,
});
