import { Refusal } from '../errors.ts';
import { db, rows } from '../infra/db.ts';

/** SQL: condition of resets `r` of users `u` that can be completed. */
export const RESET_IS_VALID = `r.completed_by IS NULL AND r.expires_at > now()
  AND r.password_version = u.password_version AND u.disabled_at IS NULL`;

/** Makes the refusal of a token that has ended; one that never existed gets the same. */
export const resetGone = () =>
  new Refusal('unauthorized', 'The link to reset the password has been used or has expired');

/** The account of a password reset. */
export interface ResetOwner {
  userId: string;
  email: string;
  name: string;
}

/**
 * Finds the account of a password reset by the hash of its token.
 *
 * @throws Refusal `unauthorized` if it was completed, has expired or never existed
 */
export async function findResetOwner(hash: string): Promise<ResetOwner> {
  const [owner] = await rows<ResetOwner>(
    db(),
    `SELECT u.id AS "userId", u.email, u.name
       FROM password_resets r JOIN users u ON u.id = r.user_id
      WHERE r.hash = ? AND ${RESET_IS_VALID}`,
    [hash],
  );
  if (owner === undefined) throw resetGone();
  return owner;
}
