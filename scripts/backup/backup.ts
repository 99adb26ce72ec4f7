import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UPLOAD_NAMES } from '../../src/http/upload.ts';
import { keyCheck } from '../../src/infra/keys.ts';
import { type Redis, scanKeys } from '../../src/infra/redis.ts';
import { type SpoolKind, spoolFolder, spoolKindOf } from '../../src/infra/spool.ts';
import { VERSION } from '../../src/infra/version.ts';
import { QUEUES } from '../../src/queues/index.ts';
import { Inspector } from '../../src/queues/inspect.ts';
import { OTHER_KEY_FILE, SECRET_KEY_FILE, type Servers } from '../embedded/servers.ts';
import { SetupError } from '../embedded/setup-error.ts';
import {
  FORMAT,
  type Manifest,
  manifestFile,
  queueFile,
  SPOOL_FILE,
  SPOOLED_JOBS_FILE,
  UPLOADS_FILE,
  writeLines,
} from './files.ts';
import { exportTables } from './tables.ts';

/** A sealed part of an uploaded file, as stored in the look-up Redis. */
export interface UploadPart {
  name: string;
  value: string;
  seconds: number;
}

/** The summary printed by `backup`. */
export interface BackupSummary {
  folder: string;
  version: string;
  createdAt: string;
  rows: number;
  jobs: number;
  spooledVisits: number;
  spooledJobs: number;
  hasSecretKey: boolean;
}

/**
 * Writes a backup of an installation, which may be running.
 *
 * The order of reading ensures that no visit is missed: a visit moves from the spool to the queue
 * to Postgres, and is deleted from one only once the next has it. They are read in this order, so a
 * visit that moves meanwhile is in the backup twice rather than not at all. It still counts once,
 * by its id (`visit_guards`). The same holds for writes, by the ids of jobs.
 *
 * @throws SetupError
 */
export async function writeBackup(
  folder: string,
  servers: Servers,
  { queue, cache, withSecretKey }: { queue: Redis; cache: Redis; withSecretKey: boolean },
): Promise<BackupSummary> {
  if (existsSync(folder) && (await readdir(folder)).length > 0) {
    throw new SetupError(`--to: ${folder} is not empty. Name a folder that does not exist.`);
  }
  const draft = `${folder}.partial`;
  await rm(draft, { recursive: true, force: true });
  for (const part of ['tables', 'queues']) {
    await mkdir(path.join(draft, part), { recursive: true, mode: 0o700 });
  }
  try {
    const files: Record<string, string> = {};
    const write = async (file: string, values: AsyncIterable<unknown>) => {
      const { sha256, count } = await writeLines(path.join(draft, file), values);
      files[file] = sha256;
      return count;
    };
    const spool = spoolFolder(servers.dataDir);
    const spooledVisits = await write(SPOOL_FILE, spooled(spool, 'visits'));
    const spooledJobs = await write(SPOOLED_JOBS_FILE, spooled(spool, 'jobs'));
    const queues: Record<string, number> = {};
    const inspector = new Inspector(queue);
    // The parts are deleted once Postgres has the file.
    const uploads = await write(UPLOADS_FILE, uploadsIn(cache));
    for (const { queue } of Object.values(QUEUES)) {
      queues[queue.name] = await write(queueFile(queue.name), inspector.storedJobs(queue));
    }
    const database = await exportTables(servers.databaseUrl, draft, files);
    if (withSecretKey) {
      const keys = {
        [SECRET_KEY_FILE]: servers.secretKey,
        [OTHER_KEY_FILE]: servers.otherSecretKey ?? '',
      };
      for (const [file, key] of Object.entries(keys)) {
        if (key === '') continue;
        const content = `${key}\n`;
        await writeFile(path.join(draft, file), content, { mode: 0o600, flush: true });
        files[file] = createHash('sha256').update(content).digest('hex');
      }
    }
    const manifest: Manifest = {
      format: FORMAT,
      version: VERSION,
      secretKeyCheck: keyCheck(servers.secretKey),
      ...database,
      queues,
      spooledVisits,
      spooledJobs,
      uploads,
      files,
    };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await writeFile(manifestFile(draft), text, { mode: 0o600, flush: true });
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return {
      folder,
      version: VERSION,
      createdAt: manifest.createdAt,
      rows: sum(manifest.tables.map(({ rows }) => rows)),
      jobs: sum(Object.values(queues)),
      spooledVisits,
      spooledJobs,
      hasSecretKey: withSecretKey,
    };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/**
 * Reads the items of one kind from a spool. A missing file was delivered to the queue, which is
 * read later, or has been renamed.
 */
async function* spooled(folder: string, kind: SpoolKind): AsyncGenerator<unknown, void, undefined> {
  const readFiles = new Set<string>();
  for (let isComplete = false; !isComplete; ) {
    isComplete = true;
    for (const name of await readdir(folder).catch(() => [])) {
      if (spoolKindOf(name) !== kind || readFiles.has(name)) continue;
      const text = await readFile(path.join(folder, name), 'utf8').catch(() => undefined);
      if (text === undefined) {
        isComplete = false;
        continue;
      }
      readFiles.add(name);
      // An item with an incomplete line has not been acknowledged.
      for (const line of text.split('\n')) if (isJson(line)) yield JSON.parse(line);
    }
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

async function* uploadsIn(cache: Redis): AsyncGenerator<UploadPart, void, undefined> {
  for await (const names of scanKeys(cache, UPLOAD_NAMES)) {
    for (const name of names) {
      const [value, seconds] = [await cache.get(name), await cache.ttl(name)];
      if (value !== null && seconds > 0) yield { name, value, seconds };
    }
  }
}
