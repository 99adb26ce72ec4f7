import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { S3mini } from 's3mini';
import { config } from '../../src/config.ts';
import { SetupError } from '../embedded/setup-error.ts';
import { MANIFEST } from './files.ts';
import type { Candidate, Shelf } from './generations.ts';

/** Time limit of a request, in ms; a part of 8 MiB in it needs 14 kB/s. */
const REQUEST_MS = 600_000;
/** Number of objects that one request deletes. */
const DELETED_AT_ONCE = 500;

/** The beginning of a URL `s3://<bucket>/<prefix>`. */
const SCHEME = 's3://';
export const isBucketUrl = (place: string): boolean => place.startsWith(SCHEME);

/** Backups in a bucket of S3 or a service with its API, with the settings `S3_…`. */
export class Bucket implements Shelf {
  readonly #s3: S3mini;
  /** Path in the bucket, with a slash at its end unless it is empty. */
  readonly #prefix: string;

  /** @throws SetupError if the URL is invalid or a setting is missing */
  constructor(url: string) {
    const { S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config();
    const [, name, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*))?$/.exec(url) ?? [];
    if (name === undefined) throw new SetupError(`${url} must be s3://<bucket>/<path>`);
    if (S3_ENDPOINT === '' || S3_ACCESS_KEY_ID === '' || S3_SECRET_ACCESS_KEY === '') {
      throw new SetupError('Set S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
    }
    this.#prefix = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
    this.#s3 = new S3mini({
      endpoint: `${S3_ENDPOINT.replace(/\/$/, '')}/${name}`,
      region: S3_REGION,
      accessKeyId: S3_ACCESS_KEY_ID,
      secretAccessKey: S3_SECRET_ACCESS_KEY,
      requestAbortTimeout: REQUEST_MS,
    });
  }

  /** Uploads the files of a backup, the manifest last. */
  async upload(folder: string, generation: string): Promise<void> {
    const files = await filesIn(folder);
    for (const file of files.toSorted((a, b) => Number(a === MANIFEST) - Number(b === MANIFEST))) {
      const content = await openAsBlob(path.join(folder, file));
      await explained(() => this.#s3.putAnyObject(`${this.#prefix}${generation}/${file}`, content));
    }
  }

  /** Downloads the backup that the URL names into a folder. */
  async download(folder: string): Promise<void> {
    for (const key of await this.#keys()) {
      const file = path.join(folder, key);
      if (path.relative(folder, file).startsWith('..')) continue;
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const answer = await explained(() => this.#s3.getObjectResponse(`${this.#prefix}${key}`));
      if (answer?.body == null) throw new SetupError(`${key} is missing in the bucket`);
      const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
      await pipeline(body, createWriteStream(file, { mode: 0o600 }));
    }
  }

  async list(): Promise<Candidate[]> {
    const keys = new Set(await this.#keys());
    const names = new Set([...keys].map((key) => key.split('/')[0]!));
    return [...names].map((name) => ({ name, isComplete: keys.has(`${name}/${MANIFEST}`) }));
  }

  /** Deletes a generation, its manifest first: what is left of it is then no backup. */
  async delete(name: string): Promise<void> {
    const manifest = `${name}/${MANIFEST}`;
    const keys = await this.#keys(`${name}/`);
    if (keys.includes(manifest)) await this.#delete([manifest]);
    const others = keys.filter((key) => key !== manifest);
    for (let at = 0; at < others.length; at += DELETED_AT_ONCE) {
      await this.#delete(others.slice(at, at + DELETED_AT_ONCE));
    }
  }

  async #delete(keys: readonly string[]): Promise<void> {
    await explained(() => this.#s3.deleteObjects(keys.map((key) => `${this.#prefix}${key}`)));
  }

  /** Lists the keys that begin with a text, without the prefix. */
  async #keys(beginning = ''): Promise<string[]> {
    const prefix = `${this.#prefix}${beginning}`;
    const objects = await explained(() => this.#s3.listObjects('/', prefix));
    if (objects === null) throw new SetupError('There is no such bucket');
    return objects.map(({ Key }) => Key.slice(this.#prefix.length));
  }
}

/** Lists the files in a folder and its folders, with slashes. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .map((file) => file.split(path.sep).join('/'));
}

/** @throws SetupError with the reason for which a request failed */
async function explained<Result>(request: () => Promise<Result>): Promise<Result> {
  try {
    return await request();
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    const reason = cause?.message === undefined ? message : `${message}: ${cause.message}`;
    throw new SetupError(`S3_ENDPOINT did not do as asked: ${reason}`);
  }
}
