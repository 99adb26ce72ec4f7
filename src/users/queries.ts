import { Refusal } from '../errors.ts';
import { type Db, db, keysDb, rows } from '../infra/db.ts';
import { placesOwner } from '../visitors/places.ts';
import { memberLimitsSql, type StoredLimits } from '../workspaces/limits.ts';
import type { Plan } from '../workspaces/plans.ts';
import type { Role } from '../workspaces/roles.ts';
import type { SecondFactor } from './jobs.ts';
import {
  type Me,
  type MembershipRow,
  membershipOf,
  type OwnInvitation,
  type SessionRecord,
} from './record.ts';

/** Time after a sign-in by link for which a new password needs no current one. */
const RESET_TIME = '1 hour';

/** Maximum number of invitations shown to a person. */
const MAX_INVITATIONS = 20;

/** A person, with everything that a sign-in by password compares. */
export interface Credentials {
  id: string;
  email: string;
  name: string;
  passwordHash: string | null;
  passwordVersion: number;
  isDisabled: boolean;
}

const CREDENTIALS = `id, email, name, password_hash AS "passwordHash", password_version AS "passwordVersion",
  disabled_at IS NOT NULL AS "isDisabled"`;

/**
 * SQL: condition of unused sign-in links. Links of the first start become invalid once a person has
 * signed in.
 */
export const LINK_IS_VALID = `session_id IS NULL AND expires_at > now()
  AND NOT (is_first AND EXISTS (SELECT FROM users WHERE last_sign_in_at IS NOT NULL))`;

/**
 * Reads the person whom a one-time link signs in, by the hash of its token.
 *
 * @throws Refusal `unauthorized` if the link was used, has expired or never existed
 */
export async function findLinkOwner(hash: string): Promise<{ email: string }> {
  const [owner] = await rows<{ email: string }>(
    db(),
    `SELECT u.email FROM sign_in_links l JOIN users u ON u.id = l.user_id
      WHERE l.hash = ? AND ${LINK_IS_VALID}`,
    [hash],
  );
  if (owner === undefined) throw linkGone();
  return owner;
}

export const linkGone = () =>
  new Refusal('unauthorized', 'The sign-in link has been used or has expired');

/** Finds a person by email address, ignoring case. */
export async function findCredentials(email: string): Promise<Credentials | undefined> {
  const sql = `SELECT ${CREDENTIALS} FROM users WHERE lower(email) = lower(?)`;
  const [user] = await rows<Credentials>(db(), sql, [email]);
  return user;
}

/**
 * Reads the password of a signed-in person. @throws Refusal `unauthorized` if they no longer exist
 */
export async function readCredentials(userId: string): Promise<Credentials> {
  const [user] = await rows<Credentials>(db(), `SELECT ${CREDENTIALS} FROM users WHERE id = ?`, [
    userId,
  ]);
  if (user === undefined) throw noUser();
  return user;
}

const noUser = () => new Refusal('unauthorized', 'The account no longer exists');

/**
 * Reads the person of a session with their workspaces. @throws Refusal `unauthorized` if they no
 * longer exist
 */
export async function readMe(userId: string, sessionId: string): Promise<Me> {
  const [[user], workspaces, invitations] = await Promise.all([
    rows<Omit<Me, 'workspaces' | 'invitations' | 'locationsBy'>>(
      db(),
      `SELECT u.id, u.email, u.name, u.language, u.password_hash IS NOT NULL AS "hasPassword",
              u.password_hash IS NOT NULL AND NOT EXISTS (
                SELECT FROM sessions s
                 WHERE s.id = :sessionId AND s.user_id = u.id AND s.method = 'link'
                   AND s.created_at > now() - :resetTime::interval) AS "needsCurrentPassword",
              u.is_operator AS "isOperator",
              (SELECT json_build_object(
                        'createdAt', to_char(f.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                        'recoveryCodes', (SELECT count(*) FROM recovery_codes c
                                           WHERE c.user_id = u.id AND c.used_at IS NULL))
                 FROM second_factors f WHERE f.user_id = u.id) AS "secondFactor",
              (SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id) AS passkeys
         FROM users u WHERE u.id = :userId`,
      { userId, sessionId, resetTime: RESET_TIME },
    ),
    rows<MembershipRow>(
      db(),
      `SELECT w.id, w.slug, w.name, w.plan, m.role, ${memberLimitsSql} AS limits,
              w.require_second_factor AND NOT EXISTS (
                SELECT FROM sessions s WHERE s.id = :sessionId AND s.second_factor IS NOT NULL
              ) AS "needsSecondFactor"
         FROM workspace_users m JOIN workspaces w ON w.id = m.project_id
        WHERE m.user_id = :userId ORDER BY lower(w.name), w.id`,
      { userId, sessionId },
    ),
    rows<OwnInvitation>(
      db(),
      `SELECT i.id, json_build_object('name', w.name, 'slug', w.slug) AS workspace, i.role,
              by.email AS "invitedBy"
         FROM users u
         JOIN invitations i ON lower(i.email) = lower(u.email) AND i.expires_at > now()
         JOIN workspaces w ON w.id = i.project_id
         LEFT JOIN users by ON by.id = i.invited_by AND by.email_verified_at IS NOT NULL
        WHERE u.id = ? AND u.email_verified_at IS NOT NULL
          AND NOT EXISTS (SELECT FROM workspace_users m
                           WHERE m.project_id = i.project_id AND m.user_id = u.id)
        ORDER BY i.created_at DESC, i.id DESC LIMIT ?`,
      [userId, MAX_INVITATIONS],
    ),
  ]);
  if (user === undefined) throw noUser();
  return {
    ...user,
    workspaces: workspaces.map(membershipOf),
    invitations,
    locationsBy: await placesOwner(),
  };
}

/** A session with its person, and their membership in the workspace that the request names. */
export interface FoundSession {
  id: string;
  userId: string;
  isOperator: boolean;
  isDisabled: boolean;
  secondFactor: SecondFactor | null;
  endedAt: Date | null;
  expiresAt: Date;
  lastUsedAt: Date;
  workspace: {
    projectId: string;
    slug: string;
    plan: Plan;
    requestsPerMinute: number | null;
    role: Role;
    limits: StoredLimits | null;
    requiresSecondFactor: boolean;
  } | null;
}

/**
 * Finds a session by the hash of its token, with the person's membership in a workspace by its
 * slug.
 */
export async function findSession(
  hash: string,
  workspace: string | null,
): Promise<FoundSession | undefined> {
  const [session] = await rows<FoundSession>(
    keysDb(),
    `SELECT s.id, s.user_id AS "userId", u.is_operator AS "isOperator",
            u.disabled_at IS NOT NULL AS "isDisabled", s.ended_at AS "endedAt",
            s.second_factor AS "secondFactor",
            s.expires_at AS "expiresAt", s.last_used_at AS "lastUsedAt",
            (SELECT json_build_object('projectId', w.id, 'slug', w.slug, 'plan', w.plan,
                      'requestsPerMinute', w.requests_per_minute, 'role', m.role,
                      'limits', ${memberLimitsSql},
                      'requiresSecondFactor', w.require_second_factor)
               FROM workspaces w JOIN workspace_users m ON m.project_id = w.id
              WHERE w.slug = :workspace AND m.user_id = s.user_id) AS workspace
       FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.hash = :hash`,
    { hash, workspace },
  );
  return session;
}

/** Maximum number of sessions shown to a person, the last used ones. */
const MAX_LISTED = 100;

/** Lists the active sessions of a person, the last used first. */
export async function listSessions(userId: string, currentId: string): Promise<SessionRecord[]> {
  const sessions = await rows<
    Pick<SessionRecord, 'id' | 'userAgent' | 'network'> & { createdAt: Date; lastUsedAt: Date }
  >(
    db(),
    `SELECT id, created_at AS "createdAt", last_used_at AS "lastUsedAt", user_agent AS "userAgent",
            network
       FROM sessions
      WHERE user_id = ? AND ended_at IS NULL AND expires_at > now()
      ORDER BY last_used_at DESC, id DESC LIMIT ?`,
    [userId, MAX_LISTED],
  );
  return sessions.map(({ createdAt, lastUsedAt, ...session }) => ({
    ...session,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
    isCurrent: session.id === currentId,
  }));
}

/** True when the person has an active session with this id. */
export async function hasSession(
  userId: string,
  sessionId: string,
  connection: Db = db(),
): Promise<boolean> {
  const sessions = await rows<object>(
    connection,
    `SELECT id FROM sessions
      WHERE id = ? AND user_id = ? AND ended_at IS NULL AND expires_at > now()`,
    [sessionId, userId],
  );
  return sessions.length > 0;
}
