import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { SetupError } from '../embedded/setup-error.ts';

/*
 * A backup is a folder with these files:
 *
 *   manifest.json        a `Manifest`, written last, so that a folder without it is no backup
 *   secret.key           the SECRET_KEY of the installation, unless it was excluded
 *   secret.key.other     the second key, if the first one was being replaced
 *   tables/<name>.gz     rows of a table, in the text format of COPY
 *   queues/<name>.gz     jobs of a queue, one as JSON on each line
 *   spool.gz             visits that waited on disk, one as JSON on each line
 *   spooled-jobs.gz      accepted jobs that waited on disk, one as JSON on each line
 *   uploads.gz           parts of files that wait to be imported, one as JSON on each line
 */

export const FORMAT = 1;
export const MANIFEST = 'manifest.json';
export const SPOOL_FILE = 'spool.gz';
export const SPOOLED_JOBS_FILE = 'spooled-jobs.gz';
export const UPLOADS_FILE = 'uploads.gz';
export const tableFile = (name: string): string => path.join('tables', `${name}.gz`);
export const queueFile = (name: string): string => path.join('queues', `${name}.gz`);

export interface TableInfo {
  name: string;
  columns: string[];
  rows: number;
}

/** The manifest of a backup: its files, and the installation that they come from. */
export interface Manifest {
  format: number;
  /** Version of the service that wrote the backup. */
  version: string;
  /** Time of the state of Postgres, ISO 8601. */
  createdAt: string;
  /** Verifier of the SECRET_KEY, from which the key cannot be derived. */
  secretKeyCheck: string;
  /** Names of the applied migrations, in order. */
  migrations: string[];
  tables: TableInfo[];
  /** Partitions, with their bounds as SQL. */
  partitions: { name: string; of: string; bounds: string }[];
  sequences: { name: string; value: string; isCalled: boolean }[];
  /** Numbers of jobs by queue. */
  queues: Record<string, number>;
  spooledVisits: number;
  /** Absent in backups of 0.5 and earlier. */
  spooledJobs?: number;
  uploads: number;
  /** SHA-256 of every file, by path. */
  files: Record<string, string>;
}

/** Writes a stream as a gzip file. @returns its SHA-256 */
export async function writeZipped(file: string, content: Readable): Promise<string> {
  const hash = createHash('sha256');
  const hashed = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(
    content,
    createGzip({ level: 4 }),
    hashed,
    createWriteStream(file, { mode: 0o600, flush: true }),
  );
  return hash.digest('hex');
}

/** Writes values as JSON lines. @returns the SHA-256 of the file, and their number */
export async function writeLines(
  file: string,
  values: AsyncIterable<unknown>,
): Promise<{ sha256: string; count: number }> {
  let count = 0;
  async function* lines() {
    for await (const value of values) {
      count += 1;
      yield `${JSON.stringify(value)}\n`;
    }
  }
  const sha256 = await writeZipped(file, Readable.from(lines()));
  return { sha256, count };
}

/** Returns the unpacked contents of a gzip file. */
export const readZipped = (file: string): Readable => createReadStream(file).pipe(createGunzip());

/** Reads the values of a file of JSON lines, some at a time. */
export async function* readLines<Value>(
  file: string,
  most = 500,
): AsyncGenerator<Value[], void, undefined> {
  let group: Value[] = [];
  for await (const line of createInterface({ input: readZipped(file), crlfDelay: Infinity })) {
    group.push(JSON.parse(line) as Value);
    if (group.length < most) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

export const manifestFile = (folder: string): string => path.join(folder, MANIFEST);

/**
 * Reads the manifest of a backup, and verifies every file by its hash.
 *
 * @throws SetupError naming the fault
 */
export async function readManifest(folder: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(manifestFile(folder), 'utf8');
  } catch (error) {
    throw new SetupError(
      `--from: ${folder} is no complete backup: ${(error as Error).message}. Name the folder that "backup" made.`,
    );
  }
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== FORMAT) {
    throw new SetupError(
      `--from: the backup has format ${manifest.format}, and this version reads format ${FORMAT}. Use the version that made it: ${manifest.version}.`,
    );
  }
  for (const [name, sha256] of Object.entries(manifest.files)) {
    if ((await hashOf(path.join(folder, name))) !== sha256) {
      throw new SetupError(`--from: ${path.join(folder, name)} is missing or damaged.`);
    }
  }
  return manifest;
}

async function hashOf(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}
