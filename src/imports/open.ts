import { Refusal } from '../errors.ts';
import { parseJson, TooMuchJson } from '../infra/parse-json.ts';
import { type Bytes, openTable, type Table, tooManyRows } from './file.ts';
import type { Archive, FileRow } from './model.ts';
import { PEERS, type PeerName, recognize, toCells } from './peers/index.ts';
import type { Source, TableSource } from './source.ts';
import { ARCHIVE_COLUMNS, type FileLimits, isGzip, openArchive } from './workspace/open.ts';

/*
 * A file of links: CSV of any making, whose columns are mapped to fields, or the export of a peer, in CSV or JSON, whose
 * columns are the fields of the peer. Or the export of a whole workspace.
 */

/** A file as rows. JSON has no delimiter. */
export interface OpenFile extends Omit<Table, 'delimiter'> {
  source: Source;
  delimiter: string | null;
  archive?: Archive;
}

/** Most values of a JSON file, and records of it. */
const MOST_VALUES = 4_000_000;
const MOST_RECORDS = 500_000;

/**
 * Opens a file.
 *
 * @param wanted its source; `undefined`: that of the peer whose properties or columns it has, else `csv`
 * @throws Refusal `unprocessable_entity` where it can't be read, or is not of the source
 */
export async function openFile(
  bytes: Bytes,
  limits: FileLimits,
  wanted: Source | undefined,
): Promise<OpenFile> {
  const { mostRows } = limits;
  const isArchive = await isGzip(bytes);
  if (wanted === 'workspace') {
    if (!isArchive) {
      throw refusal('The file must be the export of a workspace, which is compressed with gzip');
    }
    const opened = await openArchive(bytes, limits);
    const read = { source: 'workspace', encoding: 'utf-8', delimiter: null } as const;
    return { ...opened, ...read, columns: [...ARCHIVE_COLUMNS] };
  }
  if (isArchive) {
    throw refusal('source must be workspace where the file is compressed with gzip');
  }
  return (await isJson(bytes))
    ? openJson(await jsonOf(bytes), mostRows, wanted)
    : openCsv(await openTable(bytes, mostRows), wanted);
}

/** True for a file whose first character opens a JSON value. */
async function isJson(bytes: Bytes): Promise<boolean> {
  let beginning = '';
  for await (const part of bytes()) {
    beginning += part.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
    const first = /\S/.exec(beginning)?.[0];
    if (first !== undefined) return first === '[' || first === '{';
  }
  return false;
}

async function jsonOf(bytes: Bytes): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of bytes()) parts.push(part);
  const whole = Buffer.concat(parts);
  const start = whole.indexOf('\ufeff') === 0 ? 3 : 0;
  try {
    return parseJson(whole.subarray(start), MOST_VALUES, MOST_RECORDS);
  } catch (thrown) {
    if (thrown instanceof TooMuchJson) throw refusal(`The file must not ${thrown.message}`);
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw refusal('The file must be complete JSON in UTF-8: it can’t be parsed');
  }
}

const refusal = (message: string): Refusal => new Refusal('unprocessable_entity', message);

function openJson(json: unknown, mostRows: number, wanted: TableSource | undefined): OpenFile {
  const records = recordsOf(json);
  const [first] = records;
  if (first === undefined) throw refusal('The file must have links: it has none');
  const source = sourceOf(Object.keys(first), wanted, 'properties');
  if (source === 'csv') {
    throw refusal(
      `The file must be CSV, or the JSON of ${titles()}: its properties are those of none of them`,
    );
  }
  const { fields } = PEERS[source];
  const rows = numbered(source, mostRows, records);
  return { source, encoding: 'utf-8', delimiter: null, columns: [...fields], rows };
}

/** The objects of an answer of a peer's API, or of an array of such answers. */
export function recordsOf(json: unknown): object[] {
  if (Array.isArray(json)) return json.flatMap(recordsOf);
  if (typeof json !== 'object' || json === null) return [];
  const { shortUrls, links, data } = json as Record<string, unknown>;
  const list = shortUrls ?? links ?? data;
  if (typeof list !== 'object' || list === null) return [json];
  // YOURLS numbers its links: link_1, link_2.
  return links !== undefined && !Array.isArray(links)
    ? Object.values(links as object).flatMap(recordsOf)
    : recordsOf(list);
}

function openCsv(table: Table, wanted: TableSource | undefined): OpenFile {
  const source = sourceOf(table.columns, wanted, 'columns');
  if (source === 'csv') return { ...table, source };
  const { columns } = table;
  const rows = numbered(source, Number.MAX_SAFE_INTEGER, objectsOf(columns, table.rows));
  return { ...table, source, columns: [...PEERS[source].fields], rows };
}

async function* objectsOf(
  columns: readonly string[],
  rows: AsyncIterable<FileRow>,
): AsyncGenerator<object, void, undefined> {
  for await (const [, ...cells] of rows) {
    yield Object.fromEntries(columns.map((column, at) => [column, cells[at]]));
  }
}

/** The source of a file. @throws Refusal where it is not the one that is wanted */
function sourceOf(
  names: readonly string[],
  wanted: TableSource | undefined,
  what: string,
): TableSource {
  const found = recognize(names);
  if (wanted === undefined) return found ?? 'csv';
  if (wanted === 'csv' || wanted === found) return wanted;
  const instead = found === undefined ? '' : `; they are those of ${PEERS[found].title}`;
  throw refusal(
    `source must match the file: its ${what} are not those of ${PEERS[wanted].title}${instead}`,
  );
}

const titles = (): string =>
  Object.values(PEERS)
    .map(({ title }) => title)
    .join(', ');

/** The links of records as rows; numbers count links, the first row being the header. */
async function* numbered(
  source: PeerName,
  mostRows: number,
  records: Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<FileRow, void, undefined> {
  let row = 1;
  for await (const record of records) {
    for (const cells of toCells(source, record)) {
      row += 1;
      if (row > mostRows + 1) throw tooManyRows(mostRows);
      yield [row, ...cells];
    }
  }
}
