import { ConfigError } from '../src/config.ts';
import { connectDb, type Knex } from '../src/infra/db.ts';
import { appliedMigrations, knownMigrations } from '../src/infra/schema-version.ts';
import { existingServers } from './embedded/existing.ts';
import { SetupError, serversEnv } from './embedded/servers.ts';
import {
  migrateDown,
  migrateLatest,
  migrateUp,
  migrating,
  rebuildAllEntries,
} from './migrations.ts';

const ACTIONS: Record<string, (db: Knex) => Promise<unknown>> = {
  up: migrateUp,
  down: migrateDown,
  entries: rebuildAllEntries,
};

/**
 * Prints every migration. It changes nothing and waits for no other process, so that it answers in
 * any state.
 */
async function printStatus(databaseUrl: string): Promise<void> {
  const db = connectDb(databaseUrl, 1, 'migrate');
  try {
    const [applied, known] = [await appliedMigrations(db), knownMigrations()];
    for (const name of known) {
      console.log(`${applied.includes(name) ? 'applied' : 'pending'}  ${name}`);
    }
    for (const name of applied.filter((one) => !known.includes(one))) {
      console.log(`unknown  ${name}`);
    }
  } finally {
    await db.destroy();
  }
}

/**
 * Usage: `npm run migrate -- [latest|up|down|entries|status]`: all open migrations, the next one,
 * the last one back, look-up entries, the list.
 */
async function main(action: string): Promise<void> {
  const run = ACTIONS[action];
  if (run === undefined && action !== 'latest' && action !== 'status') {
    throw new SetupError(
      `The action must be one of latest, ${Object.keys(ACTIONS).join(', ')}, status, not "${action}".`,
    );
  }
  const servers = await existingServers({ log: (line) => console.error(line) });
  try {
    Object.assign(process.env, serversEnv(servers));
    if (action === 'status') await printStatus(servers.databaseUrl);
    else if (run) await migrating(servers.databaseUrl, run);
    else await migrateLatest(servers);
  } finally {
    await servers.stop();
  }
}

try {
  await main(process.argv[2] ?? 'latest');
} catch (error) {
  const expected = error instanceof SetupError || error instanceof ConfigError;
  console.error(expected ? error.message : error);
  process.exitCode = 1;
}
