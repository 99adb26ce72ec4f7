import { Refusal } from '../errors.ts';
import { parseJson, TooMuchJson } from '../infra/parse-json.ts';
import { type Bytes, decoded, openTable, openText, type Table, tooManyRows } from './file.ts';
import type { Archive, FileRow, Mapping } from './model.ts';
import { PROVIDERS, type ProviderName, recognize, toCells } from './providers/index.ts';
import type { Source, TableSource } from './source.ts';
import { isDump, type SqlRow, sqlRows } from './sql.ts';
import { ARCHIVE_COLUMNS, type FileLimits, openArchive } from './workspace/open.ts';

/*
 * Opens a file of links: a CSV file of any origin, whose columns are mapped to fields; the export
 * of a provider in CSV or JSON or a dump of its database, whose columns are the provider's fields;
 * or the export of a whole workspace.
 */

/** A file as rows. JSON has no delimiter. */
export interface OpenFile extends Omit<Table, 'delimiter'> {
  source: Source;
  delimiter: string | null;
  archive?: Archive;
  /** The requested mapping without the columns that it has left out already. */
  mapping: Mapping;
}

/** Maximum number of values in a JSON file, and of its records. */
const MAX_VALUES = 4_000_000;
const MAX_RECORDS = 500_000;

/** Options that decide how a file is read. */
interface Reading {
  mostRows: number;
  /** Source of the file; `undefined` detects it. */
  requested: TableSource | undefined;
  mapping: Mapping;
}

/**
 * Opens a file.
 *
 * @param requested source of the file; `undefined` detects the provider by its properties or
 * columns, and falls back to `csv`
 * @param mapping fields by column; columns of a provider's file can only be left out
 * @throws Refusal `unprocessable_entity` when the file cannot be read or does not match the source
 */
export async function openFile(
  bytes: Bytes,
  limits: FileLimits,
  requested: Source | undefined,
  mapping: Mapping,
): Promise<OpenFile> {
  const first = await firstBytes(bytes);
  const isArchive = first.startsWith('\x1f\x8b');
  if (requested === 'workspace') {
    if (!isArchive) {
      throw refusal('The file must be the export of a workspace, which is compressed with gzip');
    }
    const opened = await openArchive(bytes, limits);
    const file = { source: 'workspace', encoding: 'utf-8', delimiter: null, mapping } as const;
    return { ...opened, ...file, columns: [...ARCHIVE_COLUMNS] };
  }
  if (isArchive) {
    throw refusal('source must be workspace where the file is compressed with gzip');
  }
  refuseWorkbook(first);
  const reading = { mostRows: limits.mostRows, requested, mapping };
  if (await isJson(bytes)) return openJson(await jsonOf(bytes), reading);
  const file = await openText(bytes);
  if (isDump(file.beginning)) return openSql(file.encoding, sqlRows(decoded(file)), reading);
  return openCsv(await openTable(file, limits.mostRows), reading);
}

/** Number of bytes at the beginning that show the kind of a file. */
const FIRST_BYTES = 65_536;

/** Returns the first bytes of a file, as characters. */
async function firstBytes(bytes: Bytes): Promise<string> {
  let first = '';
  for await (const part of bytes()) {
    first += part.toString('latin1');
    if (first.length >= FIRST_BYTES) break;
  }
  return first.slice(0, FIRST_BYTES);
}

/** Beginning of a ZIP archive, which most workbooks are. */
const ZIP = 'PK\x03\x04';
/** Files of spreadsheet programs by what they begin with and contain, most specific first. */
const WORKBOOKS: readonly [start: string, content: RegExp, name: string][] = [
  [ZIP, /\[Content_Types\]\.xml|xl\//, 'an Excel workbook'],
  [ZIP, /opendocument\.spreadsheet/, 'an OpenDocument spreadsheet'],
  [ZIP, /\.iwa/, 'a Numbers spreadsheet'],
  ['\xd0\xcf\x11\xe0', /^/, 'an Excel workbook'],
];

/** @throws Refusal `unprocessable_entity` for the file of a spreadsheet program, or a ZIP archive */
function refuseWorkbook(first: string): void {
  const workbook = WORKBOOKS.find(
    ([start, content]) => first.startsWith(start) && content.test(first),
  );
  if (workbook !== undefined) {
    throw refusal(`The file must be CSV: this is ${workbook[2]}; save it as CSV`);
  }
  if (first.startsWith(ZIP)) {
    throw refusal('The file must be CSV: this is a ZIP archive; unpack it');
  }
}

/** Returns true if the first character of the file opens a JSON value. */
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
  const content = Buffer.concat(parts);
  const start = content.indexOf('\ufeff') === 0 ? 3 : 0;
  try {
    return parseJson(content.subarray(start), MAX_VALUES, MAX_RECORDS);
  } catch (thrown) {
    if (thrown instanceof TooMuchJson) throw refusal(`The file must not ${thrown.message}`);
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw refusal('The file must be complete JSON in UTF-8: it can’t be parsed');
  }
}

const refusal = (message: string): Refusal => new Refusal('unprocessable_entity', message);

function openJson(json: unknown, reading: Reading): OpenFile {
  const records = recordsOf(json);
  const [first] = records;
  if (first === undefined) throw refusal('The file must contain at least one link');
  const source = sourceOf(Object.keys(first), 'json', reading.requested);
  if (source === 'csv') {
    throw refusal(
      `The file must be CSV, or the JSON of ${titles()}: its properties match none of them`,
    );
  }
  const opened = openRecords(source, Object.keys(first), records, reading);
  return { ...opened, encoding: 'utf-8' };
}

/** Returns the objects of a provider's API answer, or of an array of answers. */
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

function openCsv(table: Table, reading: Reading): OpenFile {
  const { mapping } = reading;
  const source = sourceOf(table.columns, 'csv', reading.requested);
  if (source === 'csv') return { ...table, source, mapping };
  const { columns, encoding, delimiter } = table;
  const records = objectsOf(columns, table.rows);
  const limit = { ...reading, mostRows: Number.MAX_SAFE_INTEGER };
  return { ...openRecords(source, columns, records, limit), encoding, delimiter };
}

async function* objectsOf(
  columns: readonly string[],
  rows: AsyncIterable<FileRow>,
): AsyncGenerator<object, void, undefined> {
  for await (const [, ...cells] of rows) yield objectOf(columns, cells);
}

const objectOf = (columns: readonly string[], cells: readonly string[]): object =>
  Object.fromEntries(columns.map((column, at) => [column, cells[at]]));

/** Opens the table of links in a dump: the first one whose columns are those of a provider. */
async function openSql(
  encoding: string,
  rows: AsyncGenerator<SqlRow, void, undefined>,
  reading: Reading,
): Promise<OpenFile> {
  try {
    for (;;) {
      const { value, done } = await rows.next();
      if (done === true) {
        throw refusal(
          `The file must have INSERT statements of the links of ${titles()}, such as the table yourls_url of YOURLS or links of Polr`,
        );
      }
      const { columns } = value;
      const detected = recognize(columns, 'sql');
      if (detected === undefined) continue;
      const source = sourceOf(columns, 'sql', reading.requested);
      if (source === 'csv') throw refusal('source must not be csv: the file is a database dump');
      const records = recordsOfTable(source, value, rows);
      return { ...openRecords(source, columns, records, reading), encoding };
    }
  } catch (thrown) {
    await rows.return();
    throw thrown;
  }
}

/** Yields the rows of the tables with a provider's columns, of which the first one has been read. */
async function* recordsOfTable(
  source: ProviderName,
  first: SqlRow,
  rows: AsyncIterable<SqlRow>,
): AsyncGenerator<object, void, undefined> {
  yield objectOf(first.columns, first.values);
  let known = first.columns;
  for await (const { columns, values } of rows) {
    // The rows of a statement share their columns.
    if (columns !== known && recognize(columns, 'sql') !== source) continue;
    known = columns;
    yield objectOf(columns, values);
  }
}

/** Reads the links of records, without the properties or columns that the mapping leaves out. */
function openRecords(
  source: ProviderName,
  names: readonly string[],
  records: Iterable<object> | AsyncIterable<object>,
  { mostRows, mapping }: Reading,
): Pick<OpenFile, 'source' | 'delimiter' | 'columns' | 'rows' | 'mapping'> {
  const ignored = new Set(names.filter((name) => mapping[name] === null));
  const rest = Object.entries(mapping).filter(([name]) => !ignored.has(name));
  return {
    source,
    delimiter: null,
    columns: [...PROVIDERS[source].fields],
    rows: numbered(source, mostRows, records, ignored),
    mapping: Object.fromEntries(rest),
  };
}

/**
 * Determines the source of a file.
 *
 * @throws Refusal when it differs from the requested source
 */
function sourceOf(
  names: readonly string[],
  kind: 'csv' | 'json' | 'sql',
  requested: TableSource | undefined,
): TableSource {
  const detected = recognize(names, kind);
  if (requested === undefined) return detected ?? 'csv';
  if (requested === 'csv' || requested === detected) return requested;
  const instead = detected === undefined ? '' : `; they match ${PROVIDERS[detected].title}`;
  const what = kind === 'json' ? 'properties' : 'columns';
  throw refusal(
    `source must match the file: its ${what} do not match ${PROVIDERS[requested].title}${instead}`,
  );
}

const titles = (): string =>
  Object.values(PROVIDERS)
    .map(({ title }) => title)
    .join(', ');

/** Converts the links of records to rows. Numbers count links, and the first row is the header. */
async function* numbered(
  source: ProviderName,
  mostRows: number,
  records: Iterable<object> | AsyncIterable<object>,
  ignored: ReadonlySet<string>,
): AsyncGenerator<FileRow, void, undefined> {
  let row = 1;
  for await (const record of records) {
    for (const cells of toCells(source, ignored.size === 0 ? record : without(record, ignored))) {
      row += 1;
      if (row > mostRows + 1) throw tooManyRows(mostRows);
      yield [row, ...cells];
    }
  }
}

const without = (record: object, names: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)));
