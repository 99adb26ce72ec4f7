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
import { Joi, requiredTime } from '../../http/fields.ts';
import { check, MEBIBYTE } from '../../http/input.ts';
import { parseJson, TooMuchJson } from '../../infra/parse-json.ts';
import { type Bytes, tooManyRows } from '../file.ts';
import type { Archive, FileRow } from '../model.ts';
import { eventFault } from './event-fields.ts';

/*
 * Reads the export of a workspace (src/exports/archive.ts) as a stream. Anything that the file of
 * an export cannot contain refuses the whole file before anything is stored: damage, a wrong
 * checksum, unknown versions and kinds, too large parts, malformed ids, and events with a wrong
 * value. Violations in other records refuse only the record, later.
 */

const KIBIBYTE = 1024;
/** Maximum length of a line for most kinds, the header and the end. */
const DEFAULT_LINE_BYTES = 64 * KIBIBYTE;
/**
 * Maximum line lengths of kinds with larger records: those of request bodies, and of images of QR
 * codes.
 */
const LONG_LINES: Partial<Record<ArchiveKind, number>> = {
  domain: MEBIBYTE,
  link: MEBIBYTE,
  qrcode: MEBIBYTE,
  image: 7 * MEBIBYTE,
  font: 7 * MEBIBYTE,
};
const MAX_LINE_BYTES = Math.max(...Object.values(LONG_LINES));
/**
 * Maximum ratio of the size of all lines to the size of the file: real records compress 10 to 20
 * times, repeated texts 1,000 times. Small files may exceed it.
 */
const MAX_EXPANSION = 50;
const SMALL_BYTES = 16 * MEBIBYTE;
/** Maximum size of all lines of any file, in bytes. */
const MAX_UNPACKED_BYTES = 2_048 * MEBIBYTE;
const MAX_VALUES = 20_000;
/** Maximum number of events per other record of the limit. */
const EVENTS_PER_ROW = 10;
/** Number of lines after which other work of the process may run. */
const LINES_A_TURN = 200;

/** Column names in error reports. */
export const ARCHIVE_COLUMNS = ['kind', 'data'];

const refusal = (message: string): Refusal => new Refusal('unprocessable_entity', message);
const atLine = (line: number, message: string): Refusal => refusal(`Line ${line}: ${message}`);

/** Size of the file, and limits for its content. */
export interface FileLimits {
  /** Size of the uploaded file, in bytes. */
  fileBytes: number;
  /**
   * Maximum number of records other than events. The limit for events is {@link EVENTS_PER_ROW}
   * times as high.
   */
  mostRows: number;
  /** Maximum unpacked size of an export in bytes; the limit of any plan if absent. */
  mostBytes?: number | undefined;
}

/**
 * Opens the export of a workspace.
 *
 * @throws Refusal `unprocessable_entity` when the header cannot be read; reading the rows throws
 * for everything else
 */
export async function openArchive(
  bytes: Bytes,
  { fileBytes, mostRows, mostBytes = MAX_UNPACKED_BYTES }: FileLimits,
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

/** Splits a file into lines, without line ends. */
async function* linesOf(
  bytes: Bytes,
  { fileBytes, mostBytes }: { fileBytes: number; mostBytes: number },
): AsyncGenerator<Buffer, void, undefined> {
  const expanded = Math.max(SMALL_BYTES, MAX_EXPANSION * fileBytes);
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
        const limit = `${Math.floor(expanded / MEBIBYTE)} MiB, ${MAX_EXPANSION} times its size`;
        throw atLine(line, `the file must not be larger than ${limit}, when unpacked`);
      }
      for (let start = 0; start < chunk.length; ) {
        const end = chunk.indexOf(0x0a, start);
        const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
        length += piece.length;
        if (length > MAX_LINE_BYTES) {
          throw atLine(line, `must not be longer than ${MAX_LINE_BYTES / MEBIBYTE} MiB`);
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

/** @throws Refusal for a line that exceeds the limit of its kind */
function refuseLong(line: number, bytes: Buffer, kind?: ArchiveKind): void {
  const limit = (kind === undefined ? undefined : LONG_LINES[kind]) ?? DEFAULT_LINE_BYTES;
  if (bytes.length <= limit) return;
  const what = kind === undefined ? '' : ` for a record of the kind ${kind}`;
  throw atLine(line, `must not be longer than ${limit / KIBIBYTE} KiB${what}`);
}

const isZlibError = (thrown: unknown): boolean =>
  thrown instanceof Error && (thrown as NodeJS.ErrnoException).code?.startsWith('Z_') === true;

function objectOf(line: Buffer, at: number): Record<string, unknown> {
  try {
    const value = parseJson(line, MAX_VALUES);
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
  createdAt: requiredTime,
  workspace: Joi.object({
    id: Joi.string().max(100).required(),
    name: Joi.string().max(1_000).allow('').required(),
  }).required(),
  defaultDomain: Joi.string().max(253).required(),
  passwords: Joi.object({ salt: base64url(), check: base64url() }).allow(null).required(),
  counts: Joi.object(
    Object.fromEntries(
      ARCHIVE_KINDS.map((kind) => {
        const count = Joi.number().integer().min(0);
        // Archives of releases before 0.6 have no fonts.
        return [kind, kind === 'font' ? count.default(0) : count.required()];
      }),
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

/** Calls a function and adds the line number to its refusal. */
function named<Result>(line: number, act: () => Result): Result {
  try {
    return act();
  } catch (thrown) {
    throw thrown instanceof Refusal ? atLine(line, thrown.message) : thrown;
  }
}

/** Patterns of record ids, from which new ids are derived. */
const IDS: Record<ArchiveKind, RegExp> = {
  domain: /^dom_[\w-]{1,64}$/,
  tag: /^tag_[\w-]{1,64}$/,
  folder: /^fold_[\w-]{1,64}$/,
  utmTemplate: /^utm_[\w-]{1,64}$/,
  page: /^page_[\w-]{1,64}$/,
  image: /^[0-9a-f]{64}$/,
  font: /^font_[\w-]{1,64}$/,
  template: /^tmpl_[\w-]{1,64}$/,
  customer: /^cus_[\w-]{1,64}$/,
  link: /^link_[\w-]{1,64}$/,
  qrcode: /^qr_[\w-]{1,64}$/,
  event: /^(?:evt|clk)_[\w-]{1,64}$/,
};

interface Expected {
  /** Hash of the lines so far. */
  hash: ReturnType<typeof createHash>;
  defaultDomain: string;
  counts: ArchiveHeader['counts'];
  mostRows: number;
}

async function* rowsOf(
  lines: AsyncIterable<Buffer>,
  { hash, defaultDomain, counts, mostRows }: Expected,
): AsyncGenerator<FileRow, void, undefined> {
  const foundCounts = Object.fromEntries(ARCHIVE_KINDS.map((kind) => [kind, 0])) as typeof counts;
  const domains = new Set([defaultDomain]);
  let line = 1;
  let records = 0;
  let last = 0;
  let isOver = false;
  for await (const bytes of lines) {
    line += 1;
    if (isOver) throw atLine(line, 'must not follow the end of the file');
    const { kind, data, end, ...others } = objectOf(bytes, line);
    const [unknownField] = Object.keys(others);
    if (unknownField !== undefined) throw atLine(line, `${unknownField} is not a known field`);
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
    const currentKind = ARCHIVE_KINDS[place]!;
    refuseLong(line, bytes, currentKind);
    const record = recordOf(line, currentKind, data, domains);
    records += 1;
    foundCounts[currentKind] += 1;
    const events = foundCounts.event;
    if (records - events > mostRows || events > mostRows * EVENTS_PER_ROW)
      throw tooManyRows(mostRows);
    yield [line, currentKind, JSON.stringify(record)];
  }
  if (!isOver) throw refusal('The file must end with its checksum: it is cut off');
  const wrong = ARCHIVE_KINDS.find((kind) => foundCounts[kind] !== counts[kind]);
  if (wrong === undefined) return;
  throw atLine(
    1,
    `counts.${wrong} must be ${foundCounts[wrong]}, the number of such records in the file`,
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
