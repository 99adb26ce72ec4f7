import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reloadConfig } from '../src/config.ts';
import { connectDb } from '../src/infra/db.ts';
import { recordBackup } from '../src/infra/last-backup.ts';
import { connectRedis, type Redis, redisReady } from '../src/infra/redis.ts';
import { type BackupSummary, writeBackup } from './backup/backup.ts';
import { Bucket, isBucketUrl } from './backup/bucket.ts';
import { readManifest } from './backup/files.ts';
import { deleteOldGenerations, folderShelf, newGeneration } from './backup/generations.ts';
import { restoreBackup, takeSecretKey } from './backup/restore.ts';
import {
  type Command,
  type Options,
  required,
  text,
  UsageError,
  wholeNumber,
} from './cli-options.ts';
import { checkInstallation, existingServers } from './embedded/existing.ts';
import { type Servers, serversEnv } from './embedded/servers.ts';

/** Commands about the whole installation. They neither need nor create the newest schema. */
export const BACKUP_COMMANDS: Record<string, Command> = {
  backup: {
    summary: 'Back up everything, also while the service runs',
    usage:
      '--to /backups/monday | --into /backups|s3://bucket/path [--keep 14] [--without-secret-key]',
    standsAlone: true,
    run(options, log) {
      const { folder, generations } = placeOf(options);
      return withServers({ log }, async (servers, connections) => {
        const write = (to: string, withSecretKey: boolean) =>
          writeBackup(to, servers, { ...connections, withSecretKey });
        const withSecretKey = options['without-secret-key'] !== true;
        const summary =
          generations?.bucket === undefined
            ? await write(folder, withSecretKey)
            : await throughDraft(async (draft) => {
                // The key would open what the bucket holds.
                const written = await write(draft, false);
                await generations.bucket!.upload(draft, path.basename(folder));
                return { ...written, folder };
              });
        await record(servers, summary, log);
        if (generations === undefined) return summary;
        const shelf = generations.bucket ?? folderShelf(path.dirname(folder));
        return { ...summary, deleted: await deleteOldGenerations(shelf, generations.keep) };
      });
    },
  },
  restore: {
    summary: 'Restore a backup into an empty installation',
    usage: '--from /backups/monday|s3://bucket/path/2026-03-02T030000 [--overwrite]',
    standsAlone: true,
    run(options, log) {
      const from = required(options, 'from');
      if (!isBucketUrl(from)) return restore(path.resolve(from), options, log);
      const bucket = new Bucket(from);
      return throughDraft(async (draft) => {
        log('Downloading …');
        await bucket.download(draft);
        return { ...(await restore(draft, options, log)), folder: from };
      });
    },
  },
};

/** Restores the backup in a folder. */
async function restore(
  folder: string,
  options: Options,
  log: (line: string) => void,
): Promise<object> {
  const overwrite = options['overwrite'] === true;
  const manifest = await readManifest(folder);
  // Checked before the key of the backup is stored.
  checkInstallation({ mayCreate: true });
  await takeSecretKey(folder, manifest, { overwrite });
  await withServers({ log, mayCreate: true }, (servers, connections) =>
    restoreBackup(folder, manifest, servers, { ...connections, overwrite }),
  );
  const { version, createdAt, queues, spooledVisits, spooledJobs = 0 } = manifest;
  return {
    folder,
    version,
    createdAt,
    rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
    jobs: Object.values(queues).reduce((sum, jobs) => sum + jobs, 0),
    spooledVisits,
    spooledJobs,
  };
}

/** Does something with a folder that exists only for it. */
async function throughDraft<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const parent = await mkdtemp(path.join(tmpdir(), 'shortlinks-backup-'));
  try {
    return await work(path.join(parent, 'backup'));
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

/** Path of a new backup; with `--into`, it is a generation beside earlier ones. */
function placeOf(options: Options): {
  folder: string;
  generations?: { bucket: Bucket | undefined; keep: number };
} {
  const into = text(options, 'into');
  const keep = wholeNumber('keep', text(options, 'keep'));
  if (into === undefined) {
    if (keep !== undefined) throw new UsageError('--keep needs --into');
    const folder = required(options, 'to');
    if (isBucketUrl(folder)) throw new UsageError('A bucket needs --into');
    return { folder: path.resolve(folder) };
  }
  if (options['to'] !== undefined) throw new UsageError('--to and --into exclude each other');
  if (keep === 0) throw new UsageError('--keep must be at least 1');
  const isBucket = isBucketUrl(required(options, 'into'));
  const name = newGeneration();
  return {
    folder: isBucket ? `${into.replace(/\/$/, '')}/${name}` : path.resolve(into, name),
    generations: {
      bucket: isBucket ? new Bucket(into) : undefined,
      keep: keep ?? Number.POSITIVE_INFINITY,
    },
  };
}

/**
 * Records the time of the last backup for the service. A schema without a place for it is of an
 * early release.
 */
async function record(
  { databaseUrl }: Servers,
  { createdAt }: BackupSummary,
  log: (line: string) => void,
): Promise<void> {
  const db = connectDb(databaseUrl, 1, 'backup');
  try {
    await recordBackup(db, new Date(createdAt));
  } catch (error) {
    log(`The time of the backup was not recorded in the database: ${(error as Error).message}`);
  } finally {
    await db.destroy();
  }
}

async function withServers<Result>(
  options: Parameters<typeof existingServers>[0],
  work: (servers: Servers, connections: { queue: Redis; cache: Redis }) => Promise<Result>,
): Promise<Result> {
  const servers = await existingServers(options);
  const connections: Redis[] = [];
  try {
    Object.assign(process.env, serversEnv(servers));
    const { REDIS_URL, CACHE_REDIS_URL } = reloadConfig();
    const open = async (url: string) => {
      const redis = connectRedis(url, 'wait');
      connections.push(redis);
      await redisReady(redis);
      return redis;
    };
    return await work(servers, {
      queue: await open(REDIS_URL),
      cache: await open(CACHE_REDIS_URL),
    });
  } finally {
    for (const redis of connections) redis.disconnect();
    await servers.stop();
  }
}
