import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, type Info, type Options, parse } from 'csv-parse';
import { Refusal } from '../errors.ts';
import { MEBIBYTE } from '../http/input.ts';
import type { FileRow } from './model.ts';

/*
 * Reading a CSV file (RFC 4180) as a stream: neither the file nor more than some of its rows are in memory. What can't be
 * told where rows end refuses the whole file; a row that is wrong by itself is refused later.
 */

/** Longest row, in characters; parts of the text are counted as wholes. */
const ROW_LENGTH = 2 * MEBIBYTE;
/** Most columns of a file. */
const MOST_COLUMNS = 200;
/** Longest header, in characters. */
const HEADER_LENGTH = 200;
const DELIMITERS = [',', ';', '\t'];
/**
 * Characters that the parser gets at a time, so that other jobs go on in between: a record that is shorter than the
 * header costs it 100 µs, and nearly every character can be one.
 */
const FED = 4_096;
/** Start of a file in which the delimiter is looked for, in characters. */
const LOOKED_AT = 65_536;

/** A file as bytes; read from its beginning by every call. */
export type Bytes = () => AsyncIterable<Buffer>;

/** A file as rows, without those that are empty. */
export interface Table {
  encoding: string;
  delimiter: string;
  columns: string[];
  rows: AsyncGenerator<FileRow, void, undefined>;
}

/**
 * Opens a file: UTF-8 or UTF-16 with a byte order mark, else UTF-8, else Windows-1252; with commas, semicolons or tabs.
 *
 * @param mostRows most rows below the header
 * @throws Refusal `unprocessable_entity` where it has no header, or too many columns; the rows throw for those that have
 *   no end, and for too many rows
 */
export async function openTable(bytes: Bytes, mostRows: number): Promise<Table> {
  const encoding = await encodingOf(bytes);
  const delimiter = delimiterOf(await beginningOf(decoded(bytes, encoding)));
  const records = recordsOf(decoded(bytes, encoding), delimiter);
  try {
    for (;;) {
      const { value, done } = await records.next();
      if (done === true) throw refusal('The file must have a header row');
      const [, ...cells] = value;
      if (isEmpty(cells)) continue;
      const columns = headersOf(cells);
      return { encoding, delimiter, columns, rows: rowsOf(records, mostRows) };
    }
  } catch (thrown) {
    await records.return();
    throw thrown;
  }
}

const refusal = (message: string): Refusal => new Refusal('unprocessable_entity', message);
const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

async function encodingOf(bytes: Bytes): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  try {
    for await (const part of bytes()) {
      if (isFirst && part[0] === 0xff && part[1] === 0xfe) return 'utf-16le';
      if (isFirst && part[0] === 0xfe && part[1] === 0xff) return 'utf-16be';
      isFirst = false;
      decoder.decode(part, { stream: true });
    }
    decoder.decode();
    return 'utf-8';
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return 'windows-1252';
  }
}

/** The text of a file, without a byte order mark. */
async function* decoded(bytes: Bytes, encoding: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding);
  for await (const part of bytes()) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

async function beginningOf(texts: AsyncIterable<string>): Promise<string> {
  let beginning = '';
  for await (const text of texts) {
    beginning += text;
    if (beginning.length >= LOOKED_AT) break;
  }
  return beginning.slice(0, LOOKED_AT);
}

/** The delimiter that the first line has most of, outside quotation marks. */
function delimiterOf(beginning: string): string {
  const counts = new Map(DELIMITERS.map((one) => [one, 0]));
  let isQuoted = false;
  for (const character of beginning.trimStart()) {
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === '\n' || character === '\r') break;
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
  }
  return DELIMITERS.toSorted((a, b) => counts.get(b)! - counts.get(a)!)[0]!;
}

/** The records of a CSV text, with their numbers, which count empty ones. A record ends within ROW_LENGTH, or the file is refused. */
async function* recordsOf(
  texts: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<FileRow, void, undefined> {
  const options: Options = {
    delimiter,
    // Given, since a file may mix them.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    // Each would cost as much as a row.
    skip_empty_lines: true,
    info: true,
  };
  const parser = parse(options);
  async function* fed() {
    let records = 0;
    let length = 0;
    for await (const text of texts) {
      for (let at = 0; at < text.length; at += FED) {
        // The parser has read everything before, as it asks for more.
        if (parser.info.records > records) length = 0;
        if (length > ROW_LENGTH) throw tooLong(parser.info.records + 1);
        records = parser.info.records;
        const piece = text.slice(at, at + FED);
        length += piece.length;
        yield piece;
        await nextTurn();
      }
    }
  }
  const source = Readable.from(fed(), { highWaterMark: 1 });
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const each of source.pipe(parser)) {
      const { record, info } = each as { record: string[]; info: Info };
      yield [info.records + info.empty_lines, ...record];
    }
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    throw refusal(
      `Row ${parser.info.records + 1} must end: a quotation mark is opened in it and not closed`,
    );
  } finally {
    source.destroy();
    parser.destroy();
  }
}

const tooLong = (row: number): Refusal =>
  refusal(
    `Row ${row} must not be longer than ${ROW_LENGTH} characters: a quotation mark may not be closed`,
  );

/** Unique names of columns. */
function headersOf(cells: readonly string[]): string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  if (last >= MOST_COLUMNS)
    throw refusal(`The file must not have more than ${MOST_COLUMNS} columns`);
  return uniqueNames(
    cells.slice(0, last + 1).map((cell, at) => {
      const name = cell.toWellFormed().replaceAll('\0', '\ufffd').trim();
      if (name.length > HEADER_LENGTH) {
        throw refusal(
          `The header of column ${at + 1} must not be longer than ${HEADER_LENGTH} characters`,
        );
      }
      return name === '' ? `column ${at + 1}` : name;
    }),
  );
}

/** The names, with a number after those that were there before. */
export function uniqueNames(names: readonly string[]): string[] {
  const known = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let n = 2; known.has(unique); n += 1) unique = `${name} (${n})`;
    known.add(unique);
    return unique;
  });
}

async function* rowsOf(
  records: AsyncIterable<FileRow>,
  mostRows: number,
): AsyncGenerator<FileRow, void, undefined> {
  let count = 0;
  let empty = 0;
  for await (const [row, ...cells] of records) {
    if (isEmpty(cells)) {
      empty += 1;
    } else {
      count += 1;
      // A few more cells than columns show that the row has too many.
      yield [row, ...cells.slice(0, MOST_COLUMNS + 1)];
    }
    // Empty rows cost time too.
    if (count > mostRows || empty > mostRows + LOOKED_AT) {
      throw tooManyRows(mostRows);
    }
  }
}

/** The refusal of a file with more rows than the plan of the workspace has. */
export const tooManyRows = (mostRows: number): Refusal =>
  refusal(`The file must not have more than ${mostRows} rows, which is the limit of the plan`);
