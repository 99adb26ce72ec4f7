import { Refusal } from '../../errors.ts';
import { type Db, db, execute, rows } from '../../infra/db.ts';
import { handlers } from '../../queues/job.ts';
import { recordInWorkspaces } from '../audit.ts';
import { addSession, endOtherSessions, isStored, lockPerson, takeLink } from '../commands.ts';
import { refuseLate } from '../late-jobs.ts';
import { hasSession } from '../queries.ts';
import { type FactorProof, secondFactorJobs } from './jobs.ts';
import { findFactor, refuseWithoutPasskey } from './queries.ts';

/**
 * Uses a code, which is accepted once.
 *
 * @throws Refusal `conflict` if it was used meanwhile
 */
export async function useCode(trx: Db, userId: string, proof: FactorProof): Promise<void> {
  const used =
    proof.kind === 'totp'
      ? await execute(
          trx,
          'UPDATE second_factors SET last_step = :step WHERE user_id = :userId AND last_step < :step',
          { userId, step: proof.step },
        )
      : await execute(
          trx,
          `UPDATE recovery_codes SET used_at = now()
            WHERE user_id = ? AND hash = ? AND used_at IS NULL`,
          [userId, proof.hash],
        );
  if (used === 0) throw new Refusal('conflict', 'The code has been used: enter another one');
  if (proof.kind === 'recovery') await recordInWorkspaces(trx, userId, 'recoveryCode.use');
}

async function addRecoveryCodes(trx: Db, userId: string, hashes: string[]): Promise<void> {
  await trx('recovery_codes').insert(hashes.map((hash) => ({ user_id: userId, hash })));
}

/**
 * Removes the second factor of a person, if there is one. Sessions that it began are sessions
 * without one.
 *
 * @returns true if there was one
 */
export async function removeFactor(trx: Db, userId: string): Promise<boolean> {
  const removed = await execute(trx, 'DELETE FROM second_factors WHERE user_id = ?', [userId]);
  await execute(
    trx,
    `UPDATE sessions SET second_factor = NULL
      WHERE user_id = ? AND second_factor IN ('totp', 'recovery')`,
    [userId],
  );
  return removed > 0;
}

export const secondFactorHandlers = handlers(secondFactorJobs, {
  /**
   * Signs a person in after the second factor.
   *
   * @throws Refusal `unauthorized` if the first step is no longer valid; `conflict` if the code was
   * used meanwhile
   */
  'session.createBySecondFactor': ({ first, proof, session }) =>
    db().transaction(async (trx) => {
      const { userId, passwordVersion, linkHash } = first;
      await lockPerson(trx, userId, passwordVersion);
      if (await isStored(trx, session)) return;
      if (linkHash !== undefined) await takeLink(trx, linkHash, session.id);
      await useCode(trx, userId, proof);
      await addSession(trx, userId, { ...session, secondFactor: proof.kind });
    }),

  /**
   * Adds an authenticator app to a person. Their other sessions end, which have no second factor.
   *
   * @throws Refusal `unauthorized` if the session has ended or the password has changed since the
   *   request; `forbidden` if the person has a passkey and the session no second factor; `conflict`
   *   if there is one, or nobody waits for the codes any more
   */
  'secondFactor.create': ({ secret, step, hashes, passwordVersion, ...others }) =>
    db().transaction(async (trx) => {
      const { userId, keptId } = others;
      // Without the lock, a sign-in that has found no second factor would begin a session later.
      await lockPerson(trx, userId, passwordVersion);
      const factor = await findFactor(userId, trx);
      // The job has run before.
      if (factor?.secret === secret) return;
      refuseLate(others.at);
      if (!(await hasSession(userId, keptId, trx))) {
        throw new Refusal('unauthorized', 'The session has ended: sign in again');
      }
      if (factor !== undefined) {
        throw new Refusal('conflict', 'There is a second factor already: remove it first');
      }
      await refuseWithoutPasskey({ userId, sessionId: keptId }, trx);
      await execute(
        trx,
        'INSERT INTO second_factors (user_id, secret, last_step) VALUES (?, ?, ?)',
        [userId, secret, step],
      );
      await addRecoveryCodes(trx, userId, hashes);
      await endOtherSessions(trx, others);
      await execute(
        trx,
        `UPDATE sessions SET second_factor = 'totp' WHERE id = ? AND user_id = ?`,
        [keptId, userId],
      );
      await recordInWorkspaces(trx, userId, 'secondFactor.create');
    }),

  /**
   * Removes the authenticator app of a person.
   *
   * @throws Refusal `conflict` for a used code, or if nobody waits for the removal any more
   */
  'secondFactor.delete': ({ userId, proof, at }) =>
    db().transaction(async (trx) => {
      const [factor] = await rows<object>(
        trx,
        'SELECT user_id FROM second_factors WHERE user_id = ? FOR UPDATE',
        [userId],
      );
      // The job has run before.
      if (factor === undefined) return;
      refuseLate(at);
      await useCode(trx, userId, proof);
      await removeFactor(trx, userId);
      await recordInWorkspaces(trx, userId, 'secondFactor.delete');
    }),

  /**
   * Replaces the recovery codes of a person.
   *
   * @throws Refusal `conflict` for a used code, or if nobody waits for the new ones any more
   */
  'recoveryCodes.create': ({ userId, proof, hashes, at }) =>
    db().transaction(async (trx) => {
      await execute(trx, 'SELECT FROM second_factors WHERE user_id = ? FOR UPDATE', [userId]);
      const [first] = await rows<object>(
        trx,
        'SELECT hash FROM recovery_codes WHERE user_id = ? AND hash = ?',
        [userId, hashes[0]!],
      );
      // The job has run before.
      if (first !== undefined) return;
      refuseLate(at);
      await useCode(trx, userId, proof);
      await execute(trx, 'DELETE FROM recovery_codes WHERE user_id = ?', [userId]);
      await addRecoveryCodes(trx, userId, hashes);
      await recordInWorkspaces(trx, userId, 'recoveryCodes.create');
    }),
});
