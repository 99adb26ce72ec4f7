import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { config } from '../../src/config.ts';
import { connectDb, rows } from '../../src/infra/db.ts';
import { keyCheck } from '../../src/infra/keys.ts';
import { type Redis, scanKeys } from '../../src/infra/redis.ts';
import { type SpoolKind, spoolFile, spoolFolder, spoolKindOf } from '../../src/infra/spool.ts';
import { ENTRY_NAMES } from '../../src/lookup/codec.ts';
import { QUEUES } from '../../src/queues/index.ts';
import { Inspector, type StoredJob } from '../../src/queues/inspect.ts';
import { QUOTA_COUNT_NAMES } from '../../src/visits/quota-count.ts';
import { keep } from '../embedded/kept.ts';
import { OTHER_KEY_FILE, SECRET_KEY_FILE, type Servers } from '../embedded/servers.ts';
import { SetupError } from '../embedded/setup-error.ts';
import { migrateLatest, migrateTo, rollbackAll } from '../migrations.ts';
import { checkStopped } from '../stopped.ts';
import type { UploadPart } from './backup.ts';
import {
  type Manifest,
  queueFile,
  readLines,
  SPOOL_FILE,
  SPOOLED_JOBS_FILE,
  UPLOADS_FILE,
} from './files.ts';
import { importTables } from './tables.ts';

/** A redirect process adopts a spool at once if its file has not been touched for long. */
const LONG_AGO = new Date(0);

/**
 * Ensures that the process has the SECRET_KEY of a backup. Called before servers are started, which
 * would create a new key.
 *
 * @throws SetupError if it has another key, or none
 */
export async function takeSecretKey(
  folder: string,
  { secretKeyCheck }: Manifest,
  { overwrite }: { overwrite: boolean },
): Promise<void> {
  const { SECRET_KEY: ownKey, DATA_DIR: dataDir } = config();
  const isRight = (key: string) => keyCheck(key) === secretKeyCheck;
  if (ownKey !== '') {
    if (isRight(ownKey)) return;
    throw new SetupError(
      'SECRET_KEY is not the one of the backup: unset the variable, or set the one of the installation that was backed up.',
    );
  }
  const keyFile = path.join(dataDir, SECRET_KEY_FILE);
  if (existsSync(keyFile)) {
    if (isRight((await readFile(keyFile, 'utf8')).trim())) return;
    if (!overwrite) {
      throw new SetupError(
        `${keyFile} is not the key of the backup. --overwrite replaces it; what was sealed with it cannot be read any more.`,
      );
    }
  }
  const stored = path.join(folder, SECRET_KEY_FILE);
  if (!existsSync(stored)) {
    throw new SetupError(
      'The backup was made without its SECRET_KEY: set the variable to the key of the installation that was backed up.',
    );
  }
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  keep(keyFile, await readFile(stored, 'utf8'));
  const other = path.join(folder, OTHER_KEY_FILE);
  if (existsSync(other)) keep(path.join(dataDir, OTHER_KEY_FILE), await readFile(other, 'utf8'));
}

/**
 * Restores a backup into the servers, which no process of the service may use.
 *
 * @throws SetupError if processes run, or if there are data and `overwrite` is false
 */
export async function restoreBackup(
  folder: string,
  manifest: Manifest,
  servers: Servers,
  { queue, cache, overwrite }: { queue: Redis; cache: Redis; overwrite: boolean },
): Promise<void> {
  await checkStopped(queue);
  const spool = spoolFolder(servers.dataDir);
  const inspector = new Inspector(queue);
  const there = await findContents(servers, inspector, spool);
  if (there.length > 0 && !overwrite) {
    throw new SetupError(
      `The installation is not empty: it has ${there.join(', ')}. --overwrite deletes all of it.`,
    );
  }
  await rollbackAll(servers.databaseUrl);
  for (const { queue } of Object.values(QUEUES)) await inspector.clear(queue);
  await forget(cache, ENTRY_NAMES);
  await forget(queue, QUOTA_COUNT_NAMES);
  await rm(spool, { recursive: true, force: true });

  await migrateTo(servers.databaseUrl, manifest.migrations);
  await importTables(servers.databaseUrl, folder, manifest);
  for await (const parts of readLines<UploadPart>(path.join(folder, UPLOADS_FILE))) {
    for (const { name, value, seconds } of parts) await cache.set(name, value, 'EX', seconds);
  }
  for (const name of Object.keys(manifest.queues)) {
    for await (const jobs of readLines<StoredJob>(path.join(folder, queueFile(name)))) {
      await inspector.restoreJobs({ name }, jobs);
    }
  }
  await restoreSpool(path.join(folder, SPOOL_FILE), spool, 'visits');
  if (manifest.spooledJobs !== undefined) {
    await restoreSpool(path.join(folder, SPOOLED_JOBS_FILE), spool, 'jobs');
  }
  await migrateLatest(servers);
}

/** Describes the contents of an installation that is not empty, for a message. */
async function findContents(
  { databaseUrl }: Servers,
  inspector: Inspector,
  spool: string,
): Promise<string[]> {
  const contents: string[] = [];
  const database = connectDb(databaseUrl, 1, 'restore');
  try {
    if (await database.schema.hasTable('workspaces')) {
      const [row] = await rows<{ count: number }>(
        database,
        'SELECT count(*)::int AS count FROM workspaces',
      );
      if (row!.count > 0) contents.push(`${row!.count} workspaces`);
    }
  } finally {
    await database.destroy();
  }
  let jobs = 0;
  for (const { queue } of Object.values(QUEUES)) {
    for await (const _ of inspector.storedJobs(queue)) jobs += 1;
  }
  if (jobs > 0) contents.push(`${jobs} jobs in queues`);
  const files = (await readdir(spool).catch(() => [])).filter((name) => spoolKindOf(name));
  if (files.length > 0) contents.push(`${files.length} files of spooled visits or jobs`);
  return contents;
}

/**
 * Deletes data derived from the previous contents, which would seem newer than what is restored.
 */
async function forget(redis: Redis, patterns: readonly string[]): Promise<void> {
  for (const match of patterns) {
    for await (const names of scanKeys(redis, match)) {
      await Promise.all(names.map((name) => redis.unlink(name)));
    }
  }
}

async function restoreSpool(file: string, spool: string, kind: SpoolKind): Promise<void> {
  let sequence = 0;
  for await (const items of readLines<unknown>(file, 10_000)) {
    sequence += 1;
    await mkdir(spool, { recursive: true });
    // The name marks the process as ended.
    const name = spoolFile(kind, { pid: 1, instance: '0'.repeat(12), sequence });
    const lines = items.map((item) => `${JSON.stringify(item)}\n`);
    await writeFile(path.join(spool, name), lines.join(''), { mode: 0o600, flush: true });
    await utimes(path.join(spool, name), LONG_AGO, LONG_AGO);
  }
}
