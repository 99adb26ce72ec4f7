import { Refusal } from '../errors.ts';
import { parseJson, TooMuchJson } from '../infra/parse-json.ts';
import { type Bytes, openTable, type Table, tooManyRows } from './file.ts';
import type { Archive, FileRow } from './model.ts';
import { PROVIDERS, type ProviderName, recognize, toCells } from './providers/index.ts';
import type { Source, TableSource } from './source.ts';
import { ARCHIVE_COLUMNS, type FileLimits, isGzip, openArchive } from './workspace/open.ts';

/*
 * Opens a file of links: a CSV file of any origin, whose columns are mapped to fields; the export
 * of a provider in CSV or JSON, whose columns are the provider's fields; or the export of a whole
 * workspace.
 */

/** A file as rows. JSON has no delimiter. */
export interface OpenFile extends Omit<Table, 'delimiter'> {
  source: Source;
  delimiter: string | null;
  archive?: Archive;
}

/** Maximum number of values in a JSON file, and of its records. */
const MAX_VALUES = 4_000_000;
const MAX_RECORDS = 500_000;

/**
 * Opens a file.
 *
 * @param requested source of the file; `undefined` detects the provider by its properties or
 * columns, and falls back to `csv`
 * @throws Refusal `unprocessable_entity` when the file cannot be read or does not match the source
 */
export async function openFile(
  bytes: Bytes,
  limits: FileLimits,
  requested: Source | undefined,
): Promise<OpenFile> {
  const { mostRows } = limits;
  const isArchive = await isGzip(bytes);
  if (requested === 'workspace') {
    if (!isArchive) {
      throw refusal('The file must be the export of a workspace, which is compressed with gzip');
    }
    const opened = await openArchive(bytes, limits);
    const file = { source: 'workspace', encoding: 'utf-8', delimiter: null } as const;
    return { ...opened, ...file, columns: [...ARCHIVE_COLUMNS] };
  }
  if (isArchive) {
    throw refusal('source must be workspace where the file is compressed with gzip');
  }
  return (await isJson(bytes))
    ? openJson(await jsonOf(bytes), mostRows, requested)
    : openCsv(await openTable(bytes, mostRows), requested);
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

function openJson(json: unknown, mostRows: number, requested: TableSource | undefined): OpenFile {
  const records = recordsOf(json);
  const [first] = records;
  if (first === undefined) throw refusal('The file must contain at least one link');
  const source = sourceOf(Object.keys(first), requested, 'properties');
  if (source === 'csv') {
    throw refusal(
      `The file must be CSV, or the JSON of ${titles()}: its properties match none of them`,
    );
  }
  const { fields } = PROVIDERS[source];
  const rows = numbered(source, mostRows, records);
  return { source, encoding: 'utf-8', delimiter: null, columns: [...fields], rows };
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

function openCsv(table: Table, requested: TableSource | undefined): OpenFile {
  const source = sourceOf(table.columns, requested, 'columns');
  if (source === 'csv') return { ...table, source };
  const { columns } = table;
  const rows = numbered(source, Number.MAX_SAFE_INTEGER, objectsOf(columns, table.rows));
  return { ...table, source, columns: [...PROVIDERS[source].fields], rows };
}

async function* objectsOf(
  columns: readonly string[],
  rows: AsyncIterable<FileRow>,
): AsyncGenerator<object, void, undefined> {
  for await (const [, ...cells] of rows) {
    yield Object.fromEntries(columns.map((column, at) => [column, cells[at]]));
  }
}

/**
 * Determines the source of a file.
 *
 * @throws Refusal when it differs from the requested source
 */
function sourceOf(
  names: readonly string[],
  requested: TableSource | undefined,
  what: string,
): TableSource {
  const detected = recognize(names);
  if (requested === undefined) return detected ?? 'csv';
  if (requested === 'csv' || requested === detected) return requested;
  const instead = detected === undefined ? '' : `; they match ${PROVIDERS[detected].title}`;
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
