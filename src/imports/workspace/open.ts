import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { Refusal } from '../../errors.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_KINDS,
  ARCHIVE_VERSION,
  type ArchiveHeader,
  type ArchiveKind,
} from '../../exports/archive.ts';
import { Joi } from '../../http/fields.ts';
import { check, MEBIBYTE } from '../../http/input.ts';
import { parseJson, TooMuchJson } from '../../infra/parse-json.ts';
import { type Bytes, tooManyRows } from '../file.ts';
import type { Archive, FileRow } from '../model.ts';
import { eventFault } from './event-fields.ts';

/*
 * Reading the export of a workspace (src/exports/archive.ts) as a stream. What can't be the file of an export refuses it as a
 * whole, before anything is stored: damage, a wrong checksum, unknown versions and kinds, too much of anything, ids that
 * are none, and events with a wrong value. Rules of the other records refuse these alone, later.
 */

const KIBIBYTE = 1024;
/** Longest line of most kinds, of the header and of the end. */
const LINE_BYTES = 64 * KIBIBYTE;
/** Longest lines of records that may be larger: what the body of a request may have, and images of QR codes. */
const LONG_LINES: Partial<Record<ArchiveKind, number>> = {
  domain: MEBIBYTE,
  link: MEBIBYTE,
  qrcode: MEBIBYTE,
  image: 7 * MEBIBYTE,
};
const LONGEST_LINE = Math.max(...Object.values(LONG_LINES));
/**
 * Most bytes of all lines for one of the file: real records are compressed to a tenth or a twentieth, repeated texts to a
 * thousandth. Small files may be larger than that.
 */
const MOST_EXPANSION = 50;
const SMALL_BYTES = 16 * MEBIBYTE;
/** Most bytes of all lines of any file. */
const MOST_BYTES = 2_048 * MEBIBYTE;
const MOST_VALUES = 20_000;
/** Events may be so many times as many as the other records. */
const EVENTS_PER_ROW = 10;
/** Lines between which other work of the process goes on. */
const LINES_A_TURN = 200;

/** Names of the columns in reports. */
export const ARCHIVE_COLUMNS = ['kind', 'data'];

const refusal = (message: string): Refusal => new Refusal('unprocessable_entity', message);
const atLine = (line: number, message: string): Refusal => refusal(`Line ${line}: ${message}`);

/** True for a file that is compressed with gzip. */
export async function isGzip(bytes: Bytes): Promise<boolean> {
  let beginning = Buffer.alloc(0);
  for await (const part of bytes()) {
    beginning = Buffer.concat([beginning, part]);
    if (beginning.length >= 2) break;
  }
  return beginning[0] === 0x1f && beginning[1] === 0x8b;
}

/** The size of a file, and how much of it is taken. */
export interface FileLimits {
  /** Bytes of the file as it was uploaded. */
  fileBytes: number;
  /** Most records besides events, of which there may be {@link EVENTS_PER_ROW} times as many. */
  mostRows: number;
  /** Most bytes of an export once it is unpacked; of any plan, where it is not known. */
  mostBytes?: number | undefined;
}

/**
 * Opens the export of a workspace.
 *
 * @throws Refusal `unprocessable_entity` where the header can't be read; the rows throw for everything else
 */
export async function openArchive(
  bytes: Bytes,
  { fileBytes, mostRows, mostBytes = MOST_BYTES }: FileLimits,
): Promise<{ archive: Archive; rows: AsyncGenerator<FileRow, void, undefined> }> {
  const lines = linesOf(bytes, { fileBytes, mostBytes });
  try {
    const { value: first, done } = await lines.next();
    if (done === true) throw refusal('The file must have a header: it is empty');
    const header = headerOf(first);
    const hash = createHash('sha256').update(first).update('\n');
    const { workspace, defaultDomain, passwords, counts } = header;
    return {
      archive: { workspaceId: workspace.id, defaultDomain, passwords },
      rows: rowsOf(lines, { hash, defaultDomain, counts, mostRows }),
    };
  } catch (thrown) {
    await lines.return();
    throw thrown;
  }
}

/** The lines of a file, without their ends. */
async function* linesOf(
  bytes: Bytes,
  { fileBytes, mostBytes }: { fileBytes: number; mostBytes: number },
): AsyncGenerator<Buffer, void, undefined> {
  const expanded = Math.max(SMALL_BYTES, MOST_EXPANSION * fileBytes);
  const source = Readable.from(bytes());
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  let pending: Buffer[] = [];
  let length = 0;
  let total = 0;
  let line = 1;
  try {
    for await (const chunk of source.pipe(gunzip) as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > mostBytes) {
        const limit = `${mostBytes / MEBIBYTE} MiB, the limit of the plan`;
        throw atLine(line, `the file must not be larger than ${limit}, when unpacked`);
      }
      if (total > expanded) {
        const limit = `${Math.floor(expanded / MEBIBYTE)} MiB, ${MOST_EXPANSION} times its size`;
        throw atLine(line, `the file must not be larger than ${limit}, when unpacked`);
      }
      for (let start = 0; start < chunk.length; ) {
        const end = chunk.indexOf(0x0a, start);
        const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
        length += piece.length;
        if (length > LONGEST_LINE) {
          throw atLine(line, `must not be longer than ${LONGEST_LINE / MEBIBYTE} MiB`);
        }
        pending.push(piece);
        if (end === -1) break;
        yield Buffer.concat(pending);
        [pending, length] = [[], 0];
        line += 1;
        start = end + 1;
        if (line % LINES_A_TURN === 0) await nextTurn();
      }
    }
    if (length > 0) yield Buffer.concat(pending);
  } catch (thrown) {
    if (!isZlibError(thrown)) throw thrown;
    throw refusal('The file must be complete and compressed with gzip: it is damaged or cut off');
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** @throws Refusal for a line that is longer than those of its kind */
function refuseLong(line: number, bytes: Buffer, kind?: ArchiveKind): void {
  const most = (kind === undefined ? undefined : LONG_LINES[kind]) ?? LINE_BYTES;
  if (bytes.length <= most) return;
  const what = kind === undefined ? '' : ` for a record of the kind ${kind}`;
  throw atLine(line, `must not be longer than ${most / KIBIBYTE} KiB${what}`);
}

const isZlibError = (thrown: unknown): boolean =>
  thrown instanceof Error && (thrown as NodeJS.ErrnoException).code?.startsWith('Z_') === true;

function objectOf(line: Buffer, at: number): Record<string, unknown> {
  try {
    const value = parseJson(line, MOST_VALUES);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch (thrown) {
    if (thrown instanceof TooMuchJson) throw atLine(at, `must not ${thrown.message}`);
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  throw atLine(at, 'must be a JSON object in UTF-8');
}

const base64url = () =>
  Joi.string()
    .pattern(/^[\w-]+$/)
    .max(200)
    .required();

const headerSchema = Joi.object<ArchiveHeader>({
  format: Joi.string().valid(ARCHIVE_FORMAT).required(),
  version: Joi.number().valid(ARCHIVE_VERSION).required(),
  service: Joi.string().max(100).required(),
  createdAt: Joi.string().isoDate().required(),
  workspace: Joi.object({
    id: Joi.string().max(100).required(),
    name: Joi.string().max(1_000).allow('').required(),
  }).required(),
  defaultDomain: Joi.string().max(253).required(),
  passwords: Joi.object({ salt: base64url(), check: base64url() }).allow(null).required(),
  counts: Joi.object(
    Object.fromEntries(
      ARCHIVE_KINDS.map((kind) => [kind, Joi.number().integer().min(0).required()]),
    ),
  ).required(),
});

function headerOf(line: Buffer): ArchiveHeader {
  refuseLong(1, line);
  const value = objectOf(line, 1);
  if (value['format'] !== ARCHIVE_FORMAT) {
    throw atLine(1, `format must be ${ARCHIVE_FORMAT}: the file is not the export of a workspace`);
  }
  if (value['version'] !== ARCHIVE_VERSION) {
    throw atLine(
      1,
      `version must be ${ARCHIVE_VERSION}: another version of the service has written the file`,
    );
  }
  return named(1, () => check<ArchiveHeader>(headerSchema, value, 'header'));
}

/** Calls a function; what it refuses gets the number of the line. */
function named<Result>(line: number, act: () => Result): Result {
  try {
    return act();
  } catch (thrown) {
    throw thrown instanceof Refusal ? atLine(line, thrown.message) : thrown;
  }
}

/** Patterns of ids of records. New ids are derived from them. */
const IDS: Record<ArchiveKind, RegExp> = {
  domain: /^dom_[\w-]{1,64}$/,
  tag: /^tag_[\w-]{1,64}$/,
  folder: /^fold_[\w-]{1,64}$/,
  utmTemplate: /^utm_[\w-]{1,64}$/,
  page: /^page_[\w-]{1,64}$/,
  image: /^[0-9a-f]{64}$/,
  template: /^tmpl_[\w-]{1,64}$/,
  customer: /^cus_[\w-]{1,64}$/,
  link: /^link_[\w-]{1,64}$/,
  qrcode: /^qr_[\w-]{1,64}$/,
  event: /^(?:evt|clk)_[\w-]{1,64}$/,
};

interface Expected {
  /** Of the lines before. */
  hash: ReturnType<typeof createHash>;
  defaultDomain: string;
  counts: ArchiveHeader['counts'];
  mostRows: number;
}

async function* rowsOf(
  lines: AsyncIterable<Buffer>,
  { hash, defaultDomain, counts, mostRows }: Expected,
): AsyncGenerator<FileRow, void, undefined> {
  const found = Object.fromEntries(ARCHIVE_KINDS.map((kind) => [kind, 0])) as typeof counts;
  const domains = new Set([defaultDomain]);
  let line = 1;
  let records = 0;
  let last = 0;
  let isOver = false;
  for await (const bytes of lines) {
    line += 1;
    if (isOver) throw atLine(line, 'must not follow the end of the file');
    const { kind, data, end, ...others } = objectOf(bytes, line);
    const [other] = Object.keys(others);
    if (other !== undefined) throw atLine(line, `${other} is not a known field`);
    if (end !== undefined) {
      refuseLong(line, bytes);
      refuseWrongEnd(line, end, { records, sha256: hash.digest('hex') });
      isOver = true;
      continue;
    }
    hash.update(bytes).update('\n');
    const place = ARCHIVE_KINDS.indexOf(kind as ArchiveKind);
    if (place === -1) throw atLine(line, `kind must be one of ${ARCHIVE_KINDS.join(', ')}`);
    if (place < last)
      throw atLine(line, `kind must not be ${String(kind)} after ${ARCHIVE_KINDS[last]}`);
    last = place;
    const own = ARCHIVE_KINDS[place]!;
    refuseLong(line, bytes, own);
    const record = recordOf(line, own, data, domains);
    records += 1;
    found[own] += 1;
    const events = found.event;
    if (records - events > mostRows || events > mostRows * EVENTS_PER_ROW)
      throw tooManyRows(mostRows);
    yield [line, own, JSON.stringify(record)];
  }
  if (!isOver) throw refusal('The file must end with its checksum: it is cut off');
  const wrong = ARCHIVE_KINDS.find((kind) => found[kind] !== counts[kind]);
  if (wrong === undefined) return;
  throw atLine(
    1,
    `counts.${wrong} must be ${found[wrong]}, the number of such records in the file`,
  );
}

function recordOf(
  line: number,
  kind: ArchiveKind,
  data: unknown,
  domains: Set<string>,
): Record<string, unknown> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw atLine(line, 'data must be an object');
  }
  const record = data as Record<string, unknown>;
  const { id, slug, domain } = record;
  if (typeof id !== 'string' || !IDS[kind].test(id)) {
    throw atLine(line, `id must be the id of a record of the kind ${kind}`);
  }
  if (kind === 'domain' && typeof slug === 'string') domains.add(slug);
  if ((kind === 'link' || kind === 'qrcode') && !domains.has(String(domain))) {
    throw atLine(line, 'domain must be a domain that the file has');
  }
  if (kind === 'event') {
    const fault = eventFault(record);
    if (fault !== undefined) throw atLine(line, fault);
  }
  return record;
}

function refuseWrongEnd(
  line: number,
  end: unknown,
  expected: { records: number; sha256: string },
): void {
  const { records, sha256 } = (end ?? {}) as Record<string, unknown>;
  if (records === expected.records && sha256 === expected.sha256) return;
  throw atLine(
    line,
    'end must have the number and checksum of all lines before: they were changed',
  );
}
