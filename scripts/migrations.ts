import { readConfig } from '../src/config.ts';
import { ensureFirstRates } from '../src/currency/store.ts';
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

/** Compiled files only: knex records their names, which must not depend on how it was started. */
const MIGRATIONS = {
  directory: MIGRATIONS_FOLDER,
  loadExtensions: ['.js'],
};

/** An arbitrary number, the same in every process that migrates this database. */
const LOCK = 7_305_001;

/**
 * Brings a database to the newest schema and ensures that the default short domain exists. Look-up
 * entries are unchanged, so that redirect processes of the previous version keep working.
 *
 * @throws ConfigError if the database was created with another secret key
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
 * Runs the given migrations that are open.
 *
 * @param names names in order
 * @throws SetupError if this version does not have them
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
 * Rebuilds look-up entries of older versions. It runs once there are no redirect processes of an
 * earlier version, which could not read them.
 */
export async function migrateEntries(databaseUrl: string): Promise<void> {
  await migrating(databaseUrl, rebuildAllEntries);
}

export async function rebuildAllEntries(db: Knex): Promise<void> {
  // Loaded here, since it is rarely needed and loads all code of links and QR codes.
  const { rebuildLookups } = await import('./rebuild-lookups.ts');
  await rebuildLookups(db);
}

/** Reverts every migration, which deletes all data. */
export async function rollbackAll(databaseUrl: string): Promise<void> {
  await migrating(databaseUrl, (db) => db.migrate.rollback(MIGRATIONS, true));
}

/**
 * Refuses a database that a newer version has migrated, which knex takes for one with deleted
 * migrations.
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
 * Runs `work` while no other process migrates the database. Knex' own lock is a row that stays if
 * its owner is killed; this one ends with its connection, so its holder may clear that row.
 *
 * @throws SetupError if the database is newer than this version
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

/** Reads the names of the applied and the open migrations. */
async function listMigrations(db: Knex): Promise<[done: string[], open: string[]]> {
  const [done, open] = (await db.migrate.list(MIGRATIONS)) as [
    { name: string }[],
    { file: string }[],
  ];
  return [done.map(({ name }) => name), open.map(({ file }) => file)];
}

/** Applies the next migration. */
export const migrateUp = (db: Knex): Promise<unknown> => db.migrate.up(MIGRATIONS);

/** Reverts the last migration. */
export const migrateDown = (db: Knex): Promise<unknown> => db.migrate.down(MIGRATIONS);
