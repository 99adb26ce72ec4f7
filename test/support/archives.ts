import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ApiAnswer } from './client.ts';
import { eventually } from './eventually.ts';
import { rest } from './imports.ts';
import type { World } from './world.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of every shape
export type Line = any;

const GZIP = { 'content-type': 'application/gzip' };

/** Returns the body of an answer, or the result of the job of a 202. */
async function bodyOf({ api }: World, { status, headers, body }: ApiAnswer): Promise<Line> {
  expect(status, JSON.stringify(body)).to.be.within(200, 202);
  if (status !== 202) return body;
  return eventually(async () => {
    const { body: job } = await api.get(headers.get('location')!);
    expect(job.status, JSON.stringify(job)).to.equal('done');
    return job.result;
  }, 300_000);
}

/** Downloads the export of a workspace. */
export async function archiveOf(world: World, passphrase?: string): Promise<Buffer> {
  const answer = await world.api.post('/exports', { type: 'workspace', passphrase });
  const body = await bodyOf(world, answer);
  return Buffer.from(await (await fetch(body.url)).arrayBuffer());
}

/** Parses the lines of an export: its header, records and end. */
export const linesOf = (archive: Buffer): Line[] =>
  gunzipSync(archive)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/**
 * Builds an export with other records. Its end and counts are correct, unless the change makes them
 * wrong.
 */
export function changed(archive: Buffer, change: (lines: Line[]) => void): Buffer {
  const lines = linesOf(archive).slice(0, -1);
  const [header, ...records] = lines;
  for (const kind of Object.keys(header.counts)) {
    header.counts[kind] = records.filter((record) => record.kind === kind).length;
  }
  change(lines);
  const text = lines
    .map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    .join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return gzipSync(`${text}${JSON.stringify({ end: { records: lines.length - 1, sha256 } })}\n`);
}

/** Uploads the export of a workspace. */
export const upload = ({ api }: World, archive: Buffer, query: Record<string, string> = {}) =>
  api.post('/imports', archive, { query: { source: 'workspace', ...query }, headers: GZIP });

/** Uploads the export of a workspace, and returns its import once that has ended. */
export async function taken(world: World, archive: Buffer, query: Record<string, string> = {}) {
  const { id } = await bodyOf(world, await upload(world, archive, query));
  return rest(world, id, 600_000);
}

/** Replaces ids in a text or record by their kinds. */
export const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value).replaceAll(
      /\b(link|qr|evt|clk|page|tmpl|tag|fold|utm|cus|dom|proj|user|font)_[\w-]{10,}/g,
      '$1',
    ),
  );
