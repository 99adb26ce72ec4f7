import { fileURLToPath } from 'node:url';
import { ConfigError, readConfig } from '../src/config.ts';
import { ensureFirstRates } from '../src/currency/rates.ts';
import { ensureDefaultDomain } from '../src/domains/commands.ts';
import { connectDb, type Knex } from '../src/infra/db.ts';
import { LINKS } from '../src/links/kind.ts';
import { QR_CODES } from '../src/qrcodes/kind.ts';
import { rebuildEntries } from '../src/records/rebuild.ts';
import { SetupError, serversEnv, startServers } from './embedded/servers.ts';

/**
 * Compiled files only: knex records names, and they must not depend on how it was started.
 */
const MIGRATIONS = {
  directory: fileURLToPath(new URL('../migrations', import.meta.url)),
  loadExtensions: ['.js'],
};

/** Any number; the same for whoever migrates this database. */
const LOCK = 7_305_001;

/** Brings a database to the newest schema and makes sure that the default short domain exists. */
export async function migrateLatest(databaseUrl: string): Promise<void> {
  await migrating(databaseUrl, async (db) => {
    await db.migrate.latest(MIGRATIONS);
    await ensureDefaultDomain(db, readConfig(process.env).DEFAULT_SHORT_DOMAIN);
    await ensureFirstRates(db);
    await rebuildEntries(LINKS, db);
    await rebuildEntries(QR_CODES, db);
  });
}

/** Takes every migration back, and with them all data. */
export async function rollbackAll(databaseUrl: string): Promise<void> {
  await migrating(databaseUrl, (db) => db.migrate.rollback(MIGRATIONS, true));
}

/**
 * Runs `work` while nobody else migrates the database. Knex' own lock is a row that stays when its owner is
 * killed; the one here ends with its connection, so whoever holds it may clear that row.
 */
async function migrating<T>(databaseUrl: string, work: (db: Knex) => Promise<T>): Promise<T> {
  const db = connectDb(databaseUrl, 3, 'migrate');
  try {
    return await db.transaction(async (lock) => {
      await lock.raw('SELECT pg_advisory_xact_lock(?)', [LOCK]);
      await db.migrate.forceFreeMigrationsLock(MIGRATIONS);
      return work(db);
    });
  } finally {
    await db.destroy();
  }
}

const ACTIONS: Record<string, (db: Knex) => Promise<unknown>> = {
  up: (db) => db.migrate.up(MIGRATIONS),
  down: (db) => db.migrate.down(MIGRATIONS),
  async status(db) {
    const [done, open] = (await db.migrate.list(MIGRATIONS)) as [
      { name: string }[],
      { file: string }[],
    ];
    for (const { name } of done) console.log(`done  ${name}`);
    for (const { file } of open) console.log(`open  ${file}`);
  },
};

/** `npm run migrate -- [latest|up|down|status]`: all open migrations, the next one, the last one back, the list. */
async function main(action: string): Promise<void> {
  const run = ACTIONS[action];
  if (run === undefined && action !== 'latest') {
    throw new SetupError(`"${action}" is none of latest, ${Object.keys(ACTIONS).join(', ')}.`);
  }
  const servers = await startServers({ dataDir: readConfig(process.env).DATA_DIR });
  try {
    Object.assign(process.env, serversEnv(servers));
    if (run) await migrating(servers.databaseUrl, run);
    else await migrateLatest(servers.databaseUrl);
  } finally {
    await servers.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main(process.argv[2] ?? 'latest');
  } catch (error) {
    const expected = error instanceof SetupError || error instanceof ConfigError;
    console.error(expected ? error.message : error);
    process.exitCode = 1;
  }
}
