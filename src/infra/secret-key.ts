import { ConfigError } from '../config.ts';
import { type Db, rows } from './db.ts';
import { keyCheck, type LastingKeys, lastingKeysOf, secretKeys, setLastingKeys } from './keys.ts';
import type { Log } from './log.ts';
import { isSealedWith, type SealContext, seal, unseal } from './seal.ts';

/** Name of the check of the SECRET_KEY in `installation`. */
export const KEY_CHECK = 'secret_key_check';
/** Name of the sealed lasting keys in `installation`. */
export const LASTING_KEYS = 'lasting_keys';

export const LASTING_KEYS_CONTEXT: SealContext = { purpose: 'lasting keys', owner: '' };

/** Interval at which SECRET_KEY is compared until that succeeds, in ms. */
const RETRY_KEY_MS = 5_000;

/** Selects sealed texts, which identify the key of a database without a stored check. */
const SEALED = `
  SELECT password AS sealed FROM links WHERE password IS NOT NULL
  UNION ALL SELECT password FROM qrcodes WHERE password IS NOT NULL
  UNION ALL SELECT secret FROM webhooks LIMIT 1`;

/**
 * Verifies that the database was created with one of these keys. With another one, its sealed texts
 * could not be read, and click ids would differ. The first key that is used becomes the database's
 * key, until `secrets rewrite` replaces it.
 *
 * @returns the key of the database
 * @throws ConfigError when the database has another key
 */
export async function checkSecretKey(db: Db, keys: readonly string[]): Promise<string> {
  let check = await installed(db, KEY_CHECK);
  if (check === undefined) {
    const [sample] = await rows<{ sealed: string }>(db, SEALED);
    const first = keys.find((key) => sample === undefined || isSealedWith(key, sample.sealed));
    if (first !== undefined) check = await install(db, KEY_CHECK, keyCheck(first));
  }
  const key = keys.find((candidate) => keyCheck(candidate) === check);
  if (key !== undefined) return key;
  throw new ConfigError(
    'SECRET_KEY is not the one that this database was made with: set that one, or use another database',
  );
}

/**
 * Compares the keys of this process with the database, and loads its lasting keys.
 *
 * @throws ConfigError
 */
export async function takeLastingKeys(db: Db): Promise<void> {
  const key = await checkSecretKey(db, secretKeys());
  const sealed =
    (await installed(db, LASTING_KEYS)) ??
    (await install(
      db,
      LASTING_KEYS,
      seal(LASTING_KEYS_CONTEXT, JSON.stringify(lastingKeysOf(key))),
    ));
  openLastingKeys(sealed);
}

/** Decrypts and sets the lasting keys of the database. */
export function openLastingKeys(sealed: string): void {
  setLastingKeys(JSON.parse(unseal(LASTING_KEYS_CONTEXT, sealed)) as LastingKeys);
}

/** Reads a value of `installation`, which all processes of the database share. */
export async function installed(db: Db, name: string): Promise<string | undefined> {
  const row = (await db('installation').where({ name }).first('value')) as
    | { value: string }
    | undefined;
  return row?.value;
}

/**
 * Stores a value unless there is one already.
 *
 * @returns the stored value
 */
async function install(db: Db, name: string, value: string): Promise<string> {
  await db('installation').insert({ name, value }).onConflict().ignore();
  return (await installed(db, name))!;
}

/**
 * Compares SECRET_KEY, and retries later while the other side is unavailable.
 *
 * @param compare throws ConfigError if the key is wrong
 * @param side names the other side in the log
 * @throws ConfigError as `compare` does at its first call
 */
export async function tryKey(compare: () => Promise<void>, side: string, log: Log): Promise<void> {
  try {
    await compare();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    log.warn({ err: error }, `SECRET_KEY could not be compared with ${side}`);
    setTimeout(() => {
      tryKey(compare, side, log).catch((fault: unknown) =>
        log.error({ err: fault }, 'SECRET_KEY is wrong'),
      );
    }, RETRY_KEY_MS).unref();
  }
}
