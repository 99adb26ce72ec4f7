import { readConfig } from '../src/config.ts';
import { ensureFirstRates } from '../src/currency/rates.ts';
import { ensureDefaultDomain } from '../src/domains/default-domain.ts';
import { connectDb, execute, type Knex } from '../src/infra/db.ts';
import {
  appliedMigrations,
  knownMigrations,
  MIGRATIONS_FOLDER,
} from '../src/infra/schema-version.ts';
import { checkSecretKey } from '../src/infra/secret-key.ts';
import { VERSION } from '../src/infra/version.ts';
import { type Servers, SetupError } from './embedded/servers.ts';

/** Compiled files only: knex records names, and they must not depend on how it was started. */
const MIGRATIONS = {
  directory: MIGRATIONS_FOLDER,
  loadExtensions: ['.js'],
};

/** Any number; the same in every process that migrates this database. */
const LOCK = 7_305_001;

/**
 * Brings a database to the newest schema and makes sure that the default short domain exists. Look-up entries stay as they
 * are, so that redirect processes of the version before go on.
 *
 * @throws ConfigError when the database was made with another secret key
 */
export async function migrateLatest({
  databaseUrl,
  secretKey,
  otherSecretKey = '',
}: Pick<Servers, 'databaseUrl' | 'secretKey' | 'otherSecretKey'>): Promise<void> {
  await migrating(databaseUrl, async (db) => {
    await db.migrate.latest(MIGRATIONS);
    const { DEFAULT_SHORT_DOMAIN } = readConfig(process.env);
    await checkSecretKey(db, otherSecretKey === '' ? [secretKey] : [secretKey, otherSecretKey]);
    await ensureDefaultDomain(db, DEFAULT_SHORT_DOMAIN);
    await ensureFirstRates(db);
  });
}

/**
 * Runs those of some migrations that are open.
 *
 * @param names in their order
 * @throws SetupError when this version does not have them
 */
export async function migrateTo(databaseUrl: string, names: readonly string[]): Promise<void> {
  await migrating(databaseUrl, async (db) => {
    const [done, open] = await listMigrations(db);
    const unknown = names.filter((name) => !done.includes(name) && !open.includes(name));
    if (unknown.length > 0) {
      throw new SetupError(
        `The backup was made by a newer version, with the migrations ${unknown.join(', ')}: install that version.`,
      );
    }
    for (const name of open.filter((one) => names.includes(one))) {
      await db.migrate.up({ ...MIGRATIONS, name });
    }
  });
}

/**
 * Makes look-up entries of older shapes anew. Redirect processes of an earlier version cannot read them then: it runs once
 * there are none any more.
 */
export async function migrateEntries(databaseUrl: string): Promise<void> {
  await migrating(databaseUrl, rebuildAllEntries);
}

export async function rebuildAllEntries(db: Knex): Promise<void> {
  // Seldom needed, and all of links and QR codes.
  const { rebuildLookups } = await import('./rebuild-lookups.ts');
  await rebuildLookups(db);
}

/** Takes every migration back, and with them all data. */
export async function rollbackAll(databaseUrl: string): Promise<void> {
  await migrating(databaseUrl, (db) => db.migrate.rollback(MIGRATIONS, true));
}

/**
 * Refuses a database that a newer version has migrated. Knex takes it for one whose migrations were deleted.
 *
 * @throws SetupError
 */
async function checkNotNewer(db: Knex): Promise<void> {
  const [applied, known] = [await appliedMigrations(db), knownMigrations()];
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new SetupError(
    `This database is of version ${applied.at(-1)}, this program (${VERSION}) is of version ${known.at(-1)} and does not know ${unknown.join(', ')}: run the program that migrated it, or restore a backup that this one has made.`,
  );
}

/**
 * Runs `work` while no other process migrates the database. Knex' own lock is a row that stays when its owner is
 * killed; the one here ends with its connection, so its holder may clear that row.
 *
 * @throws SetupError when the database is newer than this version
 */
export async function migrating<T>(
  databaseUrl: string,
  work: (db: Knex) => Promise<T>,
): Promise<T> {
  const db = connectDb(databaseUrl, 3, 'migrate');
  try {
    return await db.transaction(async (lock) => {
      await execute(lock, 'SELECT pg_advisory_xact_lock(?)', [LOCK]);
      await checkNotNewer(db);
      await db.migrate.forceFreeMigrationsLock(MIGRATIONS);
      return work(db);
    });
  } finally {
    await db.destroy();
  }
}

/** Names of the migrations that were applied, and of those that are open. */
async function listMigrations(db: Knex): Promise<[done: string[], open: string[]]> {
  const [done, open] = (await db.migrate.list(MIGRATIONS)) as [
    { name: string }[],
    { file: string }[],
  ];
  return [done.map(({ name }) => name), open.map(({ file }) => file)];
}

/** Applies the next migration. */
export const migrateUp = (db: Knex): Promise<unknown> => db.migrate.up(MIGRATIONS);

/** Takes the last migration back. */
export const migrateDown = (db: Knex): Promise<unknown> => db.migrate.down(MIGRATIONS);
