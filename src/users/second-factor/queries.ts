import { Refusal } from '../../errors.ts';
import { type Db, db, rows } from '../../infra/db.ts';

/** The second factor of a person, as a code is compared with it. */
export interface StoredFactor {
  /** Sealed. */
  secret: string;
  lastStep: number;
}

/** Finds the second factor of a person; `undefined` if there is none. */
export async function findFactor(
  userId: string,
  connection: Db = db(),
): Promise<StoredFactor | undefined> {
  const [factor] = await rows<StoredFactor>(
    connection,
    `SELECT secret, last_step::float8 AS "lastStep" FROM second_factors WHERE user_id = ?`,
    [userId],
  );
  return factor;
}

/** Returns true if a person has an unused recovery code with this hash. */
export async function hasRecoveryCode(userId: string, hash: string): Promise<boolean> {
  const codes = await rows<object>(
    db(),
    'SELECT hash FROM recovery_codes WHERE user_id = ? AND hash = ? AND used_at IS NULL',
    [userId, hash],
  );
  return codes.length > 0;
}

/** Returns true if a person has a second factor. */
export async function hasFactor(trx: Db, userId: string): Promise<boolean> {
  const factors = await rows<object>(trx, 'SELECT user_id FROM second_factors WHERE user_id = ?', [
    userId,
  ]);
  return factors.length > 0;
}

/**
 * Refuses a session without a second factor, of a person who has a passkey, to add or remove a
 * second factor: anyone who knows the password alone could otherwise give one to the session.
 *
 * @throws Refusal `forbidden`
 */
export async function refuseWithoutPasskey(
  { userId, sessionId }: { userId: string; sessionId: string },
  connection: Db = db(),
): Promise<void> {
  const sessions = await rows<object>(
    connection,
    `SELECT id FROM sessions
      WHERE id = :sessionId AND user_id = :userId AND second_factor IS NULL
        AND EXISTS (SELECT FROM passkeys WHERE user_id = :userId)`,
    { userId, sessionId },
  );
  if (sessions.length > 0) throw new Refusal('forbidden', 'Sign in with a passkey first');
}
