import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { newId } from '../ids.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import { workspaceId } from '../workspaces/queries.ts';
import type { Role } from '../workspaces/roles.ts';
import { recordInWorkspaces } from './audit.ts';
import { endAllSessions } from './commands.ts';
import { proveAddress } from './proof.ts';
import { removeFactor } from './second-factor/commands.ts';

/*
 * Management of accounts by operators, with the command line and `npm start`. An operator who names
 * an account by its email address proves the address: a stranger who made the account beforehand
 * loses it.
 */

/** Validity of a one-time sign-in link. */
const LINK_TIME = '24 hours';

export interface NewAccount {
  email: string;
  name: string;
  /** Slug of a workspace to join. */
  workspace?: string | undefined;
  role?: Role | undefined;
}

/**
 * Creates an account, and a one-time link with which its person signs in. An existing account with
 * an unproven email address passes to that person.
 *
 * @throws Refusal `conflict` if the email address is taken; `not_found` for an unknown workspace
 */
export async function createAccount(
  db: Db,
  { email, name, workspace, role = 'member' }: NewAccount,
): Promise<{ id: string; email: string; signIn: string }> {
  return db.transaction(async (trx) => {
    let id = newId('user');
    const added = await execute(
      trx,
      `INSERT INTO users (id, email, name, email_verified_at) VALUES (?, ?, ?, now())
       ON CONFLICT (lower(email)) DO NOTHING`,
      [id, email, name],
    );
    if (added === 0) {
      id = await accountId(trx, email);
      const isFirst = await proveAddress(trx, id, name);
      if (!isFirst) throw new Refusal('conflict', `The email address "${email}" is taken`);
    }
    if (workspace !== undefined) {
      const projectId = await workspaceId(trx, workspace);
      await trx('workspace_users').insert({ project_id: projectId, user_id: id, role });
    }
    return { id, email, signIn: await createSignInAddress(trx, id) };
  });
}

/** An account as operators see it. */
export interface Account {
  id: string;
  email: string;
  name: string;
  isOperator: boolean;
  /** True if the provider, an email or an operator has proven the address. */
  isVerified: boolean;
  isDisabled: boolean;
  hasPassword: boolean;
  hasSecondFactor: boolean;
  /** Number of passkeys. */
  passkeys: number;
  lastSignInAt: Date | null;
  workspaces: string[];
}

/** Lists all accounts, by email address. */
export function listAccounts(db: Db): Promise<Account[]> {
  return rows<Account>(
    db,
    `SELECT u.id, u.email, u.name, u.is_operator AS "isOperator",
            u.email_verified_at IS NOT NULL AS "isVerified", u.disabled_at IS NOT NULL AS "isDisabled",
            u.password_hash IS NOT NULL AS "hasPassword",
            EXISTS (SELECT FROM second_factors f WHERE f.user_id = u.id) AS "hasSecondFactor",
            (SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id) AS passkeys,
            u.last_sign_in_at AS "lastSignInAt",
            ARRAY(SELECT w.slug || ' (' || m.role || ')'
                    FROM workspace_users m JOIN workspaces w ON w.id = m.project_id
                   WHERE m.user_id = u.id ORDER BY w.slug) AS workspaces
       FROM users u ORDER BY lower(u.email)`,
  );
}

/** Reads the id of an account. @throws Refusal `not_found` */
export async function accountId(db: Db, email: string): Promise<string> {
  const [user] = await rows<{ id: string }>(
    db,
    'SELECT id FROM users WHERE lower(email) = lower(?)',
    [email],
  );
  if (user === undefined) throw new Refusal('not_found', `There is no account "${email}"`);
  return user.id;
}

/**
 * Creates a one-time sign-in link, valid for 24 hours. Its token is in the fragment, which browsers
 * do not send, so that it appears in no server log.
 *
 * @param isFirst valid only until any person has signed in
 */
export async function createSignInAddress(
  db: Db,
  userId: string,
  { isFirst = false } = {},
): Promise<string> {
  const token = newToken();
  await execute(
    db,
    `INSERT INTO sign_in_links (hash, user_id, is_first, expires_at)
     VALUES (:hash, :userId, :isFirst, now() + :time::interval)`,
    { hash: hashToken(token), userId, isFirst, time: LINK_TIME },
  );
  return `${consoleUrl()}/sign-in#${token}`;
}

/** URL of the console. */
export const consoleUrl = (): string => `${config().BASE_URL}/console`;

/** Disables an account and ends its sessions and sign-in links, or enables it again. */
export async function setDisabled(db: Db, userId: string, isDisabled: boolean): Promise<void> {
  await db.transaction(async (trx) => {
    await execute(
      trx,
      'UPDATE users SET disabled_at = CASE WHEN :isDisabled THEN now() END WHERE id = :userId',
      { userId, isDisabled },
    );
    if (!isDisabled) return;
    await endAllSessions(trx, userId);
    await execute(trx, 'DELETE FROM sign_in_links WHERE user_id = ?', [userId]);
  });
}

/**
 * Removes the second factor of a person who has lost it, and ends their sessions.
 *
 * @throws Refusal `not_found`
 */
export async function removeLostFactor(
  db: Db,
  email: string,
): Promise<{ id: string; removed: boolean; endedSessions: number }> {
  return db.transaction(async (trx) => {
    const id = await accountId(trx, email);
    const removed = await removeFactor(trx, id);
    if (removed) await recordInWorkspaces(trx, id, 'secondFactor.delete', 'operator');
    return { id, removed, endedSessions: await endAllSessions(trx, id) };
  });
}

/**
 * Removes the passkeys of a person who has lost them, and ends their sessions.
 *
 * @throws Refusal `not_found`
 */
export async function removeLostPasskeys(
  db: Db,
  email: string,
): Promise<{ id: string; removed: number; endedSessions: number }> {
  return db.transaction(async (trx) => {
    const id = await accountId(trx, email);
    const removed = await execute(trx, 'DELETE FROM passkeys WHERE user_id = ?', [id]);
    if (removed > 0) await recordInWorkspaces(trx, id, 'passkey.delete', 'operator');
    return { id, removed, endedSessions: await endAllSessions(trx, id) };
  });
}

/**
 * Makes a person an operator of the installation, or an ordinary user again.
 *
 * @returns true if this was the first proof of the address, which has ended all earlier access
 */
export async function setOperator(db: Db, userId: string, isOperator: boolean): Promise<boolean> {
  return db.transaction(async (trx) => {
    const isFirstProof = isOperator && (await proveAddress(trx, userId));
    await execute(trx, 'UPDATE users SET is_operator = ? WHERE id = ?', [isOperator, userId]);
    return isFirstProof;
  });
}

/**
 * Creates a one-time sign-in link that an operator hands to the person with the email address.
 *
 * @throws Refusal `not_found`
 */
export async function createSignInLink(
  db: Db,
  email: string,
): Promise<{ id: string; signIn: string; isFirstProof: boolean }> {
  return db.transaction(async (trx) => {
    const id = await accountId(trx, email);
    const isFirstProof = await proveAddress(trx, id);
    return { id, signIn: await createSignInAddress(trx, id), isFirstProof };
  });
}

/**
 * The URL that `npm start` prints: until a person has signed in, a link that signs the owner of a
 * workspace in once.
 *
 * @param workspace its slug
 */
export async function firstAddress(db: Db, workspace: string): Promise<string> {
  const [first] = await rows<{ userId: string }>(
    db,
    `SELECT m.user_id AS "userId"
       FROM workspace_users m JOIN workspaces w ON w.id = m.project_id
      WHERE w.slug = ? AND m.role = 'owner'
        AND NOT EXISTS (SELECT FROM users WHERE last_sign_in_at IS NOT NULL)
      ORDER BY m.user_id LIMIT 1`,
    [workspace],
  );
  if (first === undefined) return consoleUrl();
  // Links of earlier starts may still be on a screen.
  await execute(db, 'DELETE FROM sign_in_links WHERE is_first AND session_id IS NULL');
  return createSignInAddress(db, first.userId, { isFirst: true });
}
