import { recordByPerson } from '../audit/write.ts';
import { newId } from '../ids.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import { endAllSessions } from './commands.ts';

/*
 * An account is made by whoever has the token of an invitation, who need not be the person with its address. An address
 * is proven by the OpenID Connect provider, by a token that went out by email alone, and by the operator.
 */

/** Time for which a person can take back memberships that ended with the first proof. */
const OFFERED = '30 days';

/**
 * Records the proof of an account's address. With the first one everything ends that whoever had the account before
 * could use: sessions, password, sign-in links, API keys and memberships. The memberships become invitations, so that
 * the person is asked.
 *
 * @param trx the transaction of what the proof is given for
 * @param name of the person, which replaces the one that the account had
 * @returns false when the address was proven before: then nothing changes
 */
export async function proveAddress(trx: Db, userId: string, name?: string): Promise<boolean> {
  const [user] = await rows<{ email: string }>(
    trx,
    `UPDATE users SET email_verified_at = now(), name = coalesce(:name, name),
            password_hash = NULL, password_version = password_version + 1
      WHERE id = :userId AND email_verified_at IS NULL
     RETURNING email`,
    { userId, name: name ?? null },
  );
  if (user === undefined) return false;
  await endAllSessions(trx, userId);
  await execute(trx, 'DELETE FROM sign_in_links WHERE user_id = ?', [userId]);
  await execute(
    trx,
    'UPDATE api_keys SET revoked_at = now() WHERE user_id = ? AND revoked_at IS NULL',
    [userId],
  );
  await offerMemberships(trx, userId, user.email);
  return true;
}

/** Ends the memberships of a person, and invites them to the same workspaces with the same roles. */
async function offerMemberships(trx: Db, userId: string, email: string): Promise<void> {
  const memberships = await rows<{ projectId: string; role: string }>(
    trx,
    'DELETE FROM workspace_users WHERE user_id = ? RETURNING project_id AS "projectId", role',
    [userId],
  );
  for (const { projectId, role } of memberships) {
    // Nobody gets the token: the person accepts while signed in.
    const invitation = { id: newId('invitation'), hash: hashToken(newToken()), time: OFFERED };
    await execute(
      trx,
      `INSERT INTO invitations (project_id, id, email, role, hash, expires_at)
       VALUES (:projectId, :id, :email, :role, :hash, now() + :time::interval)
       ON CONFLICT (project_id, lower(email)) DO NOTHING`,
      { ...invitation, projectId, role, email },
    );
    const target = { kind: 'member', id: userId };
    await recordByPerson(trx, projectId, userId, { action: 'member.remove', target });
  }
}

/**
 * Records that an account, as it is, belongs to the person with its address. Nothing ends.
 *
 * @param trx as the operator
 */
export async function vouchForAccount(trx: Db, userId: string): Promise<void> {
  await execute(
    trx,
    'UPDATE users SET email_verified_at = now() WHERE id = ? AND email_verified_at IS NULL',
    [userId],
  );
}
