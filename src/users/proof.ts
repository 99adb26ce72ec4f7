import { recordByPerson } from '../audit/write.ts';
import { newId } from '../ids.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import { endMemberships } from '../workspaces/memberships.ts';
import { endAllSessions } from './commands.ts';
import { removeFactor } from './second-factor/commands.ts';

/*
 * Anyone with the token of an invitation can create its account, not only the person with the
 * address. An address is proven by the OpenID Connect provider, by a token that was sent by email
 * only, or by the operator.
 */

/** Time for which a person can take back memberships that ended with the first proof. */
const OFFERED = '30 days';

/**
 * Records the proof of an account's email address. The first proof ends all access of whoever had
 * the account before: sessions, password, second factor, passkeys, sign-in links, API keys and
 * memberships. The memberships become invitations, which the person can accept.
 *
 * @param trx the transaction of the action that needs the proof
 * @param name name of the person, which replaces the account's
 * @returns false if the address was proven before: then nothing changes
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
  await removeFactor(trx, userId);
  await execute(trx, 'DELETE FROM passkeys WHERE user_id = ?', [userId]);
  await execute(trx, 'DELETE FROM sign_in_links WHERE user_id = ?', [userId]);
  await execute(
    trx,
    'UPDATE api_keys SET revoked_at = now() WHERE user_id = ? AND revoked_at IS NULL',
    [userId],
  );
  await offerMemberships(trx, userId, user.email);
  return true;
}

/**
 * Ends the memberships of a person, and invites them to the same workspaces with the same roles and
 * limits.
 */
async function offerMemberships(trx: Db, userId: string, email: string): Promise<void> {
  for (const { projectId, role, limits } of await endMemberships(trx, userId)) {
    // Nobody receives the token: the person accepts while signed in.
    const invitation = { id: newId('invitation'), hash: hashToken(newToken()), time: OFFERED };
    await execute(
      trx,
      `INSERT INTO invitations (project_id, id, email, role, limits, hash, expires_at)
       VALUES (:projectId, :id, :email, :role, :limits::jsonb, :hash, now() + :time::interval)
       ON CONFLICT (project_id, lower(email)) DO NOTHING`,
      { ...invitation, projectId, role, limits: limits && JSON.stringify(limits), email },
    );
    const target = { kind: 'member', id: userId };
    await recordByPerson(trx, projectId, userId, { action: 'member.remove', target });
  }
}

/**
 * Records that an account belongs to the person with its address, without ending anything.
 *
 * @param trx transaction of the operator
 */
export async function vouchForAccount(trx: Db, userId: string): Promise<void> {
  await execute(
    trx,
    'UPDATE users SET email_verified_at = now() WHERE id = ? AND email_verified_at IS NULL',
    [userId],
  );
}
