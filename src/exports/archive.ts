import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { KeyProperties } from '../infra/passphrase.ts';

/*
 * Format of a file that contains a whole workspace: lines of JSON, compressed by gzip.
 *
 *   {"format":"shortlinks-workspace","version":1,…}    the header
 *   {"kind":"tag","data":{…}}                          records, in the order of ARCHIVE_KINDS
 *   {"end":{"records":2,"sha256":"…"}}                 number of records, and checksum of all lines
 *                                                      before
 */

export const ARCHIVE_FORMAT = 'shortlinks-workspace';
export const ARCHIVE_VERSION = 1;
export const ARCHIVE_MEDIA = 'application/gzip';

/** Kinds of records, each after the kinds that it refers to. */
export const ARCHIVE_KINDS = [
  'domain',
  'tag',
  'folder',
  'utmTemplate',
  'page',
  'image',
  'font',
  'template',
  'customer',
  'link',
  'qrcode',
  'event',
] as const;

export type ArchiveKind = (typeof ARCHIVE_KINDS)[number];

export interface ArchiveHeader {
  format: typeof ARCHIVE_FORMAT;
  version: typeof ARCHIVE_VERSION;
  /** Version of the service that wrote the file. */
  service: string;
  /** Time in ISO 8601. */
  createdAt: string;
  workspace: { id: string; name: string };
  /** Domain that all workspaces of the installation share. */
  defaultDomain: string;
  /** Properties of the key that encrypts passwords; `null` if the file has no passwords. */
  passwords: KeyProperties | null;
  counts: Record<ArchiveKind, number>;
}

/** Some records of one kind. */
export type ArchivePage = [kind: ArchiveKind, records: readonly object[]];

/** Size of the parts in which an archive is written, in bytes. */
const PART_BYTES = 256 * 1024;

/** Writes the bytes of an archive, in parts. */
export async function* writeArchive(
  header: ArchiveHeader,
  pages: AsyncIterable<ArchivePage>,
): AsyncGenerator<Buffer, void, undefined> {
  const gzip = createGzip();
  const fed = pipeline(Readable.from(linesOf(header, pages)), gzip);
  // Reading the stream below throws the same error.
  fed.catch(() => {});
  let gathered: Buffer[] = [];
  let size = 0;
  for await (const chunk of gzip as AsyncIterable<Buffer>) {
    gathered.push(chunk);
    size += chunk.length;
    if (size < PART_BYTES) continue;
    yield Buffer.concat(gathered);
    [gathered, size] = [[], 0];
  }
  await fed;
  yield Buffer.concat(gathered);
}

async function* linesOf(
  header: ArchiveHeader,
  pages: AsyncIterable<ArchivePage>,
): AsyncGenerator<string, void, undefined> {
  const hash = createHash('sha256');
  const hashed = (text: string) => {
    hash.update(text);
    return text;
  };
  yield hashed(`${JSON.stringify(header)}\n`);
  let records = 0;
  for await (const [kind, page] of pages) {
    records += page.length;
    const lines = page.map((data) => `${JSON.stringify({ kind, data })}\n`);
    if (lines.length > 0) yield hashed(lines.join(''));
  }
  yield `${JSON.stringify({ end: { records, sha256: hash.digest('hex') } })}\n`;
}
