import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import type { Message } from '../mail/message.ts';
import { addMails } from '../mail/outbox.ts';
import { handlers } from '../queues/job.ts';
import { consoleUrl } from '../users/accounts.ts';
import { recordInWorkspaces } from '../users/audit.ts';
import { addSession, isStored, lockPerson } from '../users/commands.ts';
import { refuseLate } from '../users/late-jobs.ts';
import { providerName } from '../users/oidc.ts';
import { hasSession } from '../users/queries.ts';
import { useCode } from '../users/second-factor/commands.ts';
import { hasFactor, refuseWithoutPasskey } from '../users/second-factor/queries.ts';
import { CHALLENGE_SECONDS } from './challenges.ts';
import { type ConfirmedChange, passkeyJobs } from './jobs.ts';
import { listPasskeys, MAX_PASSKEYS, noPasskey } from './queries.ts';
import { type PasskeyRow, RECORD_COLUMNS, toRecord } from './record.ts';
import { wrongPasskey } from './wrong-passkey.ts';

/** @throws Refusal `conflict` if the challenge was used */
async function useChallenge(trx: Db, hash: string): Promise<void> {
  const added = await execute(
    trx,
    `INSERT INTO used_challenges (hash, expires_at)
     VALUES (:hash, now() + make_interval(secs => :seconds)) ON CONFLICT DO NOTHING`,
    { hash, seconds: CHALLENGE_SECONDS },
  );
  if (added === 0) throw new Refusal('conflict', 'The passkey has signed this already: try again');
}

/**
 * Checks that nothing has ended a confirmation since the request, and uses its code. The caller has
 * locked the person.
 *
 * @throws Refusal `unauthorized` if the session has ended; `forbidden` if it has no second factor
 *   and a passkey was added; `conflict` if the code was used meanwhile, an authenticator app was
 *   added, or nobody waits for the change any more
 */
async function useConfirmation(
  trx: Db,
  { userId, sessionId, proof, at }: ConfirmedChange,
): Promise<void> {
  refuseLate(at);
  if (!(await hasSession(userId, sessionId, trx))) {
    throw new Refusal('unauthorized', 'The session has ended: sign in again');
  }
  if (proof !== undefined) {
    await useCode(trx, userId, proof);
  } else if (await hasFactor(trx, userId)) {
    throw new Refusal('conflict', 'There is an authenticator app now: confirm with its code');
  } else {
    await refuseWithoutPasskey({ userId, sessionId }, trx);
  }
}

async function findOwn(
  trx: Db,
  { userId, id }: { userId: string; id: string },
): Promise<PasskeyRow | undefined> {
  const [passkey] = await rows<PasskeyRow>(
    trx,
    `SELECT ${RECORD_COLUMNS} FROM passkeys WHERE id = :id AND user_id = :userId`,
    { userId, id },
  );
  return passkey;
}

/** The mail that tells a person of a passkey, which they may not have added. */
const newPasskeyMail = (name: string): Message => ({
  subject: 'A passkey was added to your account',
  lines: [
    `The passkey “${name}” now signs you in at ${config().BASE_URL}.`,
    'If you did not add it, remove it in your profile, change your password and sign out everywhere else.',
  ],
  action: { label: 'Open the console', url: consoleUrl() },
  reason: 'You receive this mail because the passkeys of your account have changed.',
});

async function mailOwner(trx: Db, userId: string, message: Message): Promise<void> {
  const [user] = await rows<{ email: string }>(trx, 'SELECT email FROM users WHERE id = ?', [
    userId,
  ]);
  const mail = { projectId: null, userId: null, kind: 'passkey', recipient: user!.email, message };
  await addMails(trx, [mail]);
}

/** @throws Refusal `conflict` if the person could not sign in any more without the passkey */
async function refuseLastMeans(trx: Db, userId: string): Promise<void> {
  const [means] = await rows<{ hasPassword: boolean; hasIdentity: boolean; passkeys: number }>(
    trx,
    `SELECT password_hash IS NOT NULL AS "hasPassword",
            EXISTS (SELECT FROM user_identities i WHERE i.user_id = u.id) AS "hasIdentity",
            (SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id) AS passkeys
       FROM users u WHERE id = ?`,
    [userId],
  );
  const { hasPassword, hasIdentity, passkeys } = means!;
  if (hasPassword || passkeys > 1 || (hasIdentity && providerName() !== undefined)) return;
  throw new Refusal(
    'conflict',
    'The passkey is your only way to sign in: set a password or add another passkey first',
  );
}

export const passkeyHandlers = handlers(passkeyJobs, {
  /**
   * Adds a passkey to a person. The session then has a second factor.
   *
   * @throws Refusal `unauthorized` if the session has ended or the password has changed since the
   *   request; `conflict` if the passkey exists, or its challenge or code was used;
   *   `unprocessable_entity` if there are too many
   */
  'passkey.create': (passkey) =>
    db().transaction(async (trx) => {
      const { id, userId, sessionId, name, credentialId, signCount, transports, isSynced } =
        passkey;
      await lockPerson(trx, userId, passkey.passwordVersion);
      const existing = await findOwn(trx, passkey);
      // The job has run before.
      if (existing !== undefined) return toRecord(existing);
      await useConfirmation(trx, passkey);
      await useChallenge(trx, passkey.challenge);
      if ((await listPasskeys(userId, trx)).length >= MAX_PASSKEYS) {
        throw new Refusal('unprocessable_entity', `A person has at most ${MAX_PASSKEYS} passkeys`);
      }
      const [added] = await rows<PasskeyRow>(
        trx,
        `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, transports, is_synced)
         VALUES (:id, :userId, :name, :credentialId, :publicKey, :signCount, :transports, :isSynced)
         ON CONFLICT DO NOTHING
         RETURNING ${RECORD_COLUMNS}`,
        {
          id,
          userId,
          name,
          credentialId,
          publicKey: Buffer.from(passkey.publicKey, 'base64'),
          signCount,
          transports,
          isSynced,
        },
      );
      if (added === undefined) throw new Refusal('conflict', 'This passkey has been added already');
      await execute(
        trx,
        `UPDATE sessions SET second_factor = 'passkey', passkey_id = :id
          WHERE id = :sessionId AND user_id = :userId AND second_factor IS NULL`,
        { id, sessionId, userId },
      );
      await recordInWorkspaces(trx, userId, 'passkey.create');
      await mailOwner(trx, userId, newPasskeyMail(name));
      return toRecord(added);
    }),

  /** Renames a passkey of a person. @throws Refusal `not_found` */
  async 'passkey.update'({ userId, id, name }) {
    const [passkey] = await rows<PasskeyRow>(
      db(),
      `UPDATE passkeys SET name = :name WHERE id = :id AND user_id = :userId
       RETURNING ${RECORD_COLUMNS}`,
      { userId, id, name },
    );
    if (passkey === undefined) throw noPasskey(id);
    return toRecord(passkey);
  },

  /**
   * Removes a passkey of a person, and ends their other sessions that began with it. The session of
   * the request has the second factor of the code that has confirmed the removal, if any.
   *
   * @throws Refusal `conflict` if it is the only way to sign in, or the code was used; as
   *   `passkey.create`
   */
  'passkey.delete': (removal) =>
    db().transaction(async (trx) => {
      const { id, userId, sessionId, proof } = removal;
      await lockPerson(trx, userId, removal.passwordVersion);
      // The job has run before.
      if ((await findOwn(trx, removal)) === undefined) return;
      await useConfirmation(trx, removal);
      await refuseLastMeans(trx, userId);
      await execute(trx, 'DELETE FROM passkeys WHERE id = ? AND user_id = ?', [id, userId]);
      await execute(
        trx,
        `UPDATE sessions SET ended_at = now()
          WHERE user_id = :userId AND passkey_id = :id AND id <> :sessionId AND ended_at IS NULL`,
        { id, userId, sessionId },
      );
      await execute(
        trx,
        `UPDATE sessions SET second_factor = :factor, passkey_id = NULL
          WHERE user_id = :userId AND passkey_id = :id AND id = :sessionId`,
        { id, userId, sessionId, factor: proof?.kind ?? null },
      );
      await recordInWorkspaces(trx, userId, 'passkey.delete');
    }),

  /**
   * Signs a person in by passkey. A counter that does not grow means that the passkey was copied;
   * synced passkeys do not count.
   *
   * @throws Refusal `unauthorized` if the passkey was removed, its counter has not grown, or the
   *   person is disabled; `conflict` if the challenge was used
   */
  'session.createByPasskey': ({ userId, passkeyId, challenge, session, ...use }, { log }) =>
    db().transaction(async (trx) => {
      await lockPerson(trx, userId);
      // The job has run before.
      if (await isStored(trx, session)) return;
      await useChallenge(trx, challenge);
      const used = await execute(
        trx,
        `UPDATE passkeys SET sign_count = :signCount, is_synced = :isSynced, last_used_at = now()
          WHERE id = :passkeyId AND user_id = :userId
            AND (sign_count < :signCount OR (sign_count = 0 AND :signCount = 0))`,
        { passkeyId, userId, ...use },
      );
      if (used === 0) {
        log.warn(
          { passkeyId },
          'a passkey was refused: its counter has not grown, or it was removed',
        );
        throw wrongPasskey();
      }
      await addSession(trx, userId, { ...session, secondFactor: 'passkey', passkeyId });
    }),
});
