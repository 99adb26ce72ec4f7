import { ConfigError } from '../config.ts';
import { type Db, rows } from './db.ts';
import { canUnseal, keyCheck } from './secrets.ts';

/** Selects sealed texts, which identify the key of a database without a stored check. */
const SEALED = `
  SELECT password AS sealed FROM links WHERE password IS NOT NULL
  UNION ALL SELECT password FROM qrcodes WHERE password IS NOT NULL
  UNION ALL SELECT secret FROM webhooks LIMIT 1`;

/**
 * Makes sure that the database was made with this `SECRET_KEY`: what it holds sealed could not be read with another, and
 * ids of clicks would be different ones. The first key to come is the database's.
 *
 * @throws ConfigError when it was another
 */
export async function checkSecretKey(db: Db, secretKey: string): Promise<void> {
  const check = keyCheck(secretKey);
  const find = () => db('installation').where({ name: 'secret_key_check' }).first('value');
  let kept: { value: string } | undefined = await find();
  if (kept === undefined) {
    const sealedTexts = await rows<{ sealed: string }>(db, SEALED);
    if (sealedTexts.every(({ sealed }) => canUnseal(secretKey, sealed))) {
      await db('installation')
        .insert({ name: 'secret_key_check', value: check })
        .onConflict()
        .ignore();
      kept = await find();
    }
  }
  if (kept?.value !== check) {
    throw new ConfigError(
      'SECRET_KEY is not the one that this database was made with: set that one, or use another database',
    );
  }
}
