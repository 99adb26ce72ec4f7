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
