import { Refusal } from '../errors.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { handlers } from '../queues/job.ts';
import { SESSION_SECONDS } from './cookie.ts';
import {
  type NewSession,
  type OtherSessions,
  type SignedIn,
  userJobs,
  userMaintenanceJobs,
} from './jobs.ts';
import { LINK_IS_VALID, linkGone } from './queries.ts';
import { hasFactor } from './second-factor/queries.ts';

/*
 * Sessions belong to no workspace, so their jobs leave no row in `jobs`. Instead, running one of
 * these commands twice has the effect of running it once.
 */

/**
 * Locks a person, so that sign-ins and changes of passwords and second factors wait for each other.
 * Rows of the person, such as links and memberships, are locked after it.
 *
 * @param passwordVersion version that the password must still have; absent: any
 * @throws Refusal `unauthorized` if the person does not exist or is disabled, or the password has
 *   changed
 */
export async function lockPerson(trx: Db, userId: string, passwordVersion?: number): Promise<void> {
  const [user] = await rows<{ isDisabled: boolean; version: number }>(
    trx,
    `SELECT disabled_at IS NOT NULL AS "isDisabled", password_version AS version
       FROM users WHERE id = ? FOR NO KEY UPDATE`,
    [userId],
  );
  if (user?.isDisabled !== false) throw new Refusal('unauthorized', 'The account is disabled');
  if (passwordVersion !== undefined && user.version !== passwordVersion) {
    throw new Refusal('unauthorized', 'The password has changed: sign in again');
  }
}

/**
 * Adds a session, unless the person has a second factor and this sign-in had none.
 *
 * @throws Refusal as {@link lockPerson}
 */
export async function enter(
  trx: Db,
  { userId, passwordVersion }: { userId: string; passwordVersion?: number },
  session: NewSession,
): Promise<SignedIn> {
  await lockPerson(trx, userId, passwordVersion);
  const needsSecondFactor = session.secondFactor === undefined && (await hasFactor(trx, userId));
  if (!needsSecondFactor) await insertSession(trx, userId, session);
  return { userId, needsSecondFactor };
}

/**
 * Adds a session.
 *
 * @throws Refusal `unauthorized` if the person does not exist or is disabled
 */
export async function addSession(trx: Db, userId: string, session: NewSession): Promise<void> {
  await lockPerson(trx, userId);
  await insertSession(trx, userId, session);
}

async function insertSession(trx: Db, userId: string, session: NewSession): Promise<void> {
  const { id, hash, method, userAgent, network, replaces } = session;
  const { secondFactor = null, passkeyId = null } = session;
  const added = await execute(
    trx,
    `INSERT INTO sessions (id, user_id, hash, method, second_factor, passkey_id, user_agent, network, expires_at)
     VALUES (:id, :userId, :hash, :method, :secondFactor, :passkeyId, :userAgent, :network, now() + make_interval(secs => :seconds))
     ON CONFLICT DO NOTHING`,
    {
      id,
      userId,
      hash,
      method,
      secondFactor,
      passkeyId,
      userAgent,
      network,
      seconds: SESSION_SECONDS,
    },
  );
  // The job has run before.
  if (added === 0) return;
  await execute(trx, 'UPDATE users SET last_sign_in_at = now() WHERE id = ?', [userId]);
  if (replaces !== undefined) await endByHash(trx, replaces);
}

const endByHash = (connection: Db, hash: string): Promise<number> =>
  execute(connection, 'UPDATE sessions SET ended_at = now() WHERE hash = ? AND ended_at IS NULL', [
    hash,
  ]);

/** Ends all sessions of a person, and returns their number. */
export function endAllSessions(db: Db, userId: string): Promise<number> {
  return execute(
    db,
    `UPDATE sessions SET ended_at = now()
      WHERE user_id = ? AND ended_at IS NULL AND expires_at > now()`,
    [userId],
  );
}

/** Ends all sessions of a person except one, and returns their number. */
export const endOtherSessions = (trx: Db, { userId, keptId, at }: OtherSessions): Promise<number> =>
  execute(
    trx,
    `UPDATE sessions SET ended_at = :at
      WHERE user_id = :userId AND id <> :keptId AND ended_at IS NULL AND expires_at > now()`,
    { userId, keptId, at },
  );

async function refuseOther(trx: Db, userId: string, hash: string): Promise<void> {
  const [user] = await rows<{ hash: string | null }>(
    trx,
    'SELECT password_hash AS hash FROM users WHERE id = ?',
    [userId],
  );
  if (user?.hash !== hash) throw new Refusal('conflict', 'The password has been changed since');
}

/** Returns true if a session was stored, also if it has ended: then its job has run before. */
export async function isStored(trx: Db, { id }: Pick<NewSession, 'id'>): Promise<boolean> {
  const sessions = await rows<object>(trx, 'SELECT id FROM sessions WHERE id = ?', [id]);
  return sessions.length > 0;
}

/** @throws Refusal `unauthorized` if there is no such link */
async function ownerOfLink(trx: Db, hash: string): Promise<string> {
  const [link] = await rows<{ userId: string }>(
    trx,
    'SELECT user_id AS "userId" FROM sign_in_links WHERE hash = ?',
    [hash],
  );
  if (link === undefined) throw linkGone();
  return link.userId;
}

/**
 * Uses a one-time link for a session. The caller has locked the person.
 *
 * @throws Refusal `unauthorized` if it was used, has expired or never existed
 */
export async function takeLink(trx: Db, hash: string, sessionId: string): Promise<void> {
  const taken = await execute(
    trx,
    `UPDATE sign_in_links SET session_id = :sessionId WHERE hash = :hash AND ${LINK_IS_VALID}`,
    { hash, sessionId },
  );
  if (taken === 0) throw linkGone();
}

/** Time for which ended sessions and links are kept, which exceeds the retries of any job. */
const KEPT_FOR = '1 day';

export const userHandlers = handlers(userJobs, {
  /**
   * Signs a person in by password. @throws Refusal `unauthorized` if the password has changed, or
   * the person is disabled
   */
  async 'session.create'({ userId, passwordVersion, session }) {
    return db().transaction((trx) => enter(trx, { userId, passwordVersion }, session));
  },

  /**
   * Signs a person in by a one-time link. @throws Refusal `unauthorized` if the link was used, has
   * expired or never existed
   */
  'session.createByLink': async ({ hash, session }) =>
    db().transaction(async (trx) => {
      const userId = await ownerOfLink(trx, hash);
      await lockPerson(trx, userId);
      if (await isStored(trx, session)) return { userId, needsSecondFactor: false };
      await takeLink(trx, hash, session.id);
      const entered = await enter(trx, { userId }, session);
      // The second step uses the link.
      if (entered.needsSecondFactor) {
        await execute(trx, 'UPDATE sign_in_links SET session_id = NULL WHERE hash = ?', [hash]);
      }
      return entered;
    }),

  /** Ends a session by the hash of its token. */
  async 'session.end'({ hash }) {
    await endByHash(db(), hash);
  },

  /** Ends one session of a person. */
  async 'session.endOwn'({ userId, id }) {
    await execute(
      db(),
      'UPDATE sessions SET ended_at = now() WHERE id = ? AND user_id = ? AND ended_at IS NULL',
      [id, userId],
    );
    return { id };
  },

  /** Ends all sessions of a person but one. */
  async 'session.endOthers'(others) {
    const { userId, keptId, at } = others;
    return db().transaction(async (trx) => {
      await endOtherSessions(trx, others);
      const ended = await rows<object>(
        trx,
        'SELECT id FROM sessions WHERE user_id = ? AND id <> ? AND ended_at = ?',
        [userId, keptId, at],
      );
      return { deletedCount: ended.length };
    });
  },

  /** Stores the time at which a session was used, and renews it. */
  async 'session.used'({ id, at }) {
    await execute(
      db(),
      `UPDATE sessions SET last_used_at = :at,
              expires_at = :at::timestamptz + make_interval(secs => :seconds)
        WHERE id = :id AND ended_at IS NULL AND last_used_at < :at AND expires_at > :at`,
      { id, at, seconds: SESSION_SECONDS },
    );
  },

  /**
   * Changes a person. A new password ends their other sessions and one-time links.
   *
   * @throws Refusal `conflict` if the password was changed meanwhile
   */
  async 'user.update'({ name, language, password, ...others }) {
    const { userId } = others;
    await db().transaction(async (trx) => {
      if (name !== undefined) {
        await execute(trx, 'UPDATE users SET name = ? WHERE id = ?', [name, userId]);
      }
      if (language !== undefined) {
        await execute(trx, 'UPDATE users SET language = ? WHERE id = ?', [language, userId]);
      }
      if (password === undefined) return;
      const { hash, version } = password;
      const changed = await execute(
        trx,
        `UPDATE users SET password_hash = :hash, password_version = :version + 1
          WHERE id = :userId AND password_version = :version`,
        { hash, version, userId },
      );
      // The job may have run before.
      if (changed === 0) return refuseOther(trx, userId, hash);
      await endOtherSessions(trx, others);
      await execute(trx, 'DELETE FROM sign_in_links WHERE user_id = ? AND session_id IS NULL', [
        userId,
      ]);
    });
  },
});

export const userMaintenanceHandlers = handlers(userMaintenanceJobs, {
  /** Deletes sessions, sign-in links, password resets and challenges that ended long ago. */
  async 'sessions.prune'() {
    await execute(
      db(),
      'DELETE FROM sessions WHERE least(expires_at, ended_at) < now() - ?::interval',
      [KEPT_FOR],
    );
    for (const table of ['sign_in_links', 'password_resets', 'used_challenges']) {
      await execute(db(), `DELETE FROM ${table} WHERE expires_at < now() - ?::interval`, [
        KEPT_FOR,
      ]);
    }
  },
});
