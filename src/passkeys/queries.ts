import { Refusal } from '../errors.ts';
import { type Db, db, rows } from '../infra/db.ts';
import { type PasskeyRecord, type PasskeyRow, RECORD_COLUMNS, toRecord } from './record.ts';

/** Maximum number of passkeys of a person. */
export const MAX_PASSKEYS = 20;

/** A passkey with what verifies its signatures. */
export interface StoredPasskey {
  id: string;
  userId: string;
  publicKey: Buffer;
}

/** Finds a passkey by the id that its authenticator knows, in base64url. */
export async function findCredential(credentialId: string): Promise<StoredPasskey | undefined> {
  const [passkey] = await rows<StoredPasskey>(
    db(),
    `SELECT id, user_id AS "userId", public_key AS "publicKey"
       FROM passkeys WHERE credential_id = ?`,
    [credentialId],
  );
  return passkey;
}

/** Lists the authenticators that already have a passkey of a person. */
export const listCredentials = (userId: string): Promise<{ id: string; transports: string[] }[]> =>
  rows(db(), 'SELECT credential_id AS id, transports FROM passkeys WHERE user_id = ?', [userId]);

/** Lists the passkeys of a person, the oldest first. */
export async function listPasskeys(
  userId: string,
  connection: Db = db(),
): Promise<PasskeyRecord[]> {
  const passkeys = await rows<PasskeyRow>(
    connection,
    `SELECT ${RECORD_COLUMNS} FROM passkeys WHERE user_id = ? ORDER BY created_at, id`,
    [userId],
  );
  return passkeys.map(toRecord);
}

/** @throws Refusal `not_found` if the person has no such passkey */
export async function requirePasskey(userId: string, id: string): Promise<void> {
  const passkeys = await rows<object>(
    db(),
    'SELECT id FROM passkeys WHERE id = ? AND user_id = ?',
    [id, userId],
  );
  if (passkeys.length === 0) throw noPasskey(id);
}

/** Makes the refusal of an unknown passkey, or one of another person. */
export const noPasskey = (id: string) => new Refusal('not_found', `There is no passkey "${id}"`);

/** Returns true if a session began within the last hour. */
export async function isRecent(sessionId: string): Promise<boolean> {
  const sessions = await rows<object>(
    db(),
    "SELECT id FROM sessions WHERE id = ? AND created_at > now() - interval '1 hour'",
    [sessionId],
  );
  return sessions.length > 0;
}
