import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, type Info, type Options, parse } from 'csv-parse';
import { Refusal } from '../errors.ts';
import { MEBIBYTE } from '../http/input.ts';
import { guessFields, hasValues } from './fields.ts';
import type { FileRow, Mapping } from './model.ts';

/*
 * Reads a CSV file (RFC 4180) as a stream, with only some of its rows in memory. If the ends of
 * rows cannot be determined, the whole file is refused; a row with errors is refused later.
 */

/** Maximum length of a row, in characters. Parts of the text are counted as a whole. */
export const MAX_ROW_LENGTH = 2 * MEBIBYTE;
/** Maximum number of columns. */
const MAX_COLUMNS = 200;
/** Maximum length of a header, in characters. */
const MAX_HEADER_LENGTH = 200;
const DELIMITERS = [',', ';', '\t'];
/** First line in which Excel declares the delimiter. */
const DECLARED = /^"?sep=([,;\t|])"?[\r\n]/i;
/** Cells without a value in exports of MySQL. */
const NO_VALUES = new Set(['NULL', '\\N']);
/**
 * Number of characters passed to the parser at a time, so that other jobs run in between: a record
 * shorter than the header takes it 100 µs, and nearly every character could be one.
 */
const FEED_LENGTH = 4_096;
/** Length of the beginning in which the delimiter is detected, in characters. */
const SAMPLE_LENGTH = 65_536;

/** Number of rows by which the columns of a file without a header are recognized. */
const SAMPLE_ROWS = 20;

/** Bytes of a file; each call reads it from the beginning. */
export type Bytes = () => AsyncIterable<Buffer>;

/** A file as rows, without empty ones. */
export interface Table {
  encoding: string;
  delimiter: string;
  columns: string[];
  /** Fields of the columns of a file without a header, by its first rows. */
  guesses?: Mapping | undefined;
  rows: AsyncGenerator<FileRow, void, undefined>;
}

/** A text file: its encoding, and the beginning of its text, by which it is recognized. */
export interface TextFile {
  bytes: Bytes;
  encoding: string;
  beginning: string;
}

/**
 * Opens a text file. Encodings are UTF-8 or UTF-16 with a byte order mark, UTF-8, or else
 * Windows-1252.
 */
export async function openText(bytes: Bytes): Promise<TextFile> {
  const encoding = await encodingOf(bytes);
  return { bytes, encoding, beginning: await beginningOf(decoded({ bytes, encoding })) };
}

/**
 * Opens a CSV file. Delimiters are commas, semicolons or tabs, or what a first line such as `sep=;`
 * says. A first row with a URL is no header.
 *
 * @param mostRows maximum number of rows after the header
 * @throws Refusal `unprocessable_entity` for a missing header or too many columns; reading the rows
 * throws for rows without an end, and for too many rows
 */
export async function openTable(file: TextFile, mostRows: number): Promise<Table> {
  const { encoding, beginning } = file;
  const declared = DECLARED.exec(beginning)?.[1];
  const delimiter = declared ?? delimiterOf(beginning);
  const records = recordsOf(decoded(file), delimiter);
  try {
    if (declared !== undefined) await records.next();
    for (;;) {
      const { value, done } = await records.next();
      if (done === true) throw refusal('The file must have a header row');
      const [row, ...cells] = value;
      if (isEmpty(cells)) continue;
      if (!hasValues(cells)) {
        const columns = headersOf(cells);
        return { encoding, delimiter, columns, rows: rowsOf(records, mostRows) };
      }
      const columns = headersOf(cells.slice(0, MAX_COLUMNS + 1).map((_, at) => `column ${at + 1}`));
      const sample: FileRow[] = [[row, ...cells]];
      while (sample.length < SAMPLE_ROWS) {
        const next = await records.next();
        if (next.done === true) break;
        sample.push(next.value);
      }
      const guesses = guessFields(
        columns,
        sample.map(([, ...each]) => each).filter((each) => !isEmpty(each)),
      );
      const rows = rowsOf(withFirst(sample, records), mostRows);
      return { encoding, delimiter, columns, guesses, rows };
    }
  } catch (thrown) {
    await records.return();
    throw thrown;
  }
}

/** Puts records in front of others. */
async function* withFirst(
  first: readonly FileRow[],
  records: AsyncIterable<FileRow>,
): AsyncGenerator<FileRow, void, undefined> {
  yield* first;
  yield* records;
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

/** Decodes a file without its byte order mark. */
export async function* decoded({
  bytes,
  encoding,
}: Pick<TextFile, 'bytes' | 'encoding'>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding);
  for await (const part of bytes()) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

async function beginningOf(texts: AsyncIterable<string>): Promise<string> {
  let beginning = '';
  for await (const text of texts) {
    beginning += text;
    if (beginning.length >= SAMPLE_LENGTH) break;
  }
  return beginning.slice(0, SAMPLE_LENGTH);
}

/** Returns the delimiter that is most frequent in the first line, outside quotation marks. */
function delimiterOf(beginning: string): string {
  const counts = new Map(DELIMITERS.map((delimiter) => [delimiter, 0]));
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

/**
 * Parses CSV records with their numbers, in which empty records count. A record must end within
 * MAX_ROW_LENGTH, otherwise the file is refused.
 */
async function* recordsOf(
  texts: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<FileRow, void, undefined> {
  const options: Options = {
    delimiter,
    // Listed explicitly, because a file may mix them.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    // Empty lines would cost as much as rows.
    skip_empty_lines: true,
    info: true,
  };
  const parser = parse(options);
  async function* fed() {
    let records = 0;
    let length = 0;
    for await (const text of texts) {
      for (let at = 0; at < text.length; at += FEED_LENGTH) {
        // The parser has consumed everything when it asks for more.
        if (parser.info.records > records) length = 0;
        if (length > MAX_ROW_LENGTH) throw tooLong(parser.info.records + 1);
        records = parser.info.records;
        const piece = text.slice(at, at + FEED_LENGTH);
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
    `Row ${row} must not be longer than ${MAX_ROW_LENGTH} characters: a quotation mark may not be closed`,
  );

/** Returns unique column names. */
function headersOf(cells: readonly string[]): string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  if (last >= MAX_COLUMNS) throw refusal(`The file must not have more than ${MAX_COLUMNS} columns`);
  return uniqueNames(
    cells.slice(0, last + 1).map((cell, at) => {
      const name = cell.toWellFormed().replaceAll('\0', '\ufffd').trim();
      if (name.length > MAX_HEADER_LENGTH) {
        throw refusal(
          `The header of column ${at + 1} must not be longer than ${MAX_HEADER_LENGTH} characters`,
        );
      }
      return name === '' ? `column ${at + 1}` : name;
    }),
  );
}

/** Makes names unique by adding a number to repeated ones. */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let n = 2; used.has(unique); n += 1) unique = `${name} (${n})`;
    used.add(unique);
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
      // A few more cells than columns show that the row is too long.
      const kept = cells.slice(0, MAX_COLUMNS + 1);
      yield [row, ...kept.map((cell) => (NO_VALUES.has(cell) ? '' : cell))];
    }
    // Empty rows take time too.
    if (count > mostRows || empty > mostRows + SAMPLE_LENGTH) {
      throw tooManyRows(mostRows);
    }
  }
}

/** Makes the refusal of a file with more rows than the workspace's plan allows. */
export const tooManyRows = (mostRows: number): Refusal =>
  refusal(`The file must not have more than ${mostRows} rows, which is the limit of the plan`);
