import { PassThrough, type Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { type Db, type Knex, removeData, type SqlBindings } from './db.ts';

/**
 * A column value in the text format of COPY. A buffer becomes a `bytea`; other objects become JSON.
 */
export type CopyValue = string | number | boolean | null | Buffer | object;

/**
 * Inserts rows into a table within a transaction, in the text format of COPY (PostgreSQL, COPY,
 * File Formats).
 *
 * @throws DatabaseError without the data of the rows
 */
export async function copyInto(
  trx: Db,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly CopyValue[])[],
): Promise<void> {
  const sql = `COPY ${table} (${columns.join(', ')}) FROM STDIN`;
  await withConnection(trx, sql, (connection) =>
    pipeline([textOf(rows)], connection.query(from(sql))),
  );
}

/** A row of a query in the text format of COPY, as the values of its columns. */
export type CopiedRow = readonly (string | null)[];

/**
 * Runs a query within a transaction and calls `take` with its rows, some thousands at a time and in
 * order; no more are in memory. The transaction runs nothing else meanwhile.
 *
 * @throws DatabaseError without the data of the rows
 */
export async function copyFrom(
  trx: Db,
  query: string,
  bindings: SqlBindings,
  take: (rows: readonly CopiedRow[]) => void,
): Promise<void> {
  // COPY takes no parameters.
  const sql = `COPY (${trx.raw(query, bindings as Knex.ValueDict).toQuery()}) TO STDOUT`;
  await withConnection(trx, query, async (connection) => {
    let rest = Buffer.alloc(0);
    for await (const chunk of connection.query(to(sql)) as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end > 0) take(rowsOf(Buffer.concat([rest, chunk.subarray(0, end)]).toString()));
      rest = Buffer.concat(end > 0 ? [chunk.subarray(end)] : [rest, chunk]);
    }
  });
}

/**
 * Runs a query within a transaction and streams its rows in the text format of COPY. The
 * transaction runs nothing else meanwhile.
 *
 * @throws DatabaseError without the data of the rows
 */
export async function copyOut(
  trx: Db,
  query: string,
  bindings: SqlBindings,
  use: (text: Readable) => Promise<void>,
): Promise<void> {
  const sql = `COPY (${trx.raw(query, bindings as Knex.ValueDict).toQuery()}) TO STDOUT`;
  await withConnection(trx, query, async (connection) => {
    const copied = connection.query(to(sql));
    // The consumer may destroy the stream, but the connection must still be read to the end.
    const text = new PassThrough();
    const ended = finished(copied);
    ended.catch((error: Error) => text.destroy(error));
    copied.pipe(text);
    try {
      await use(text);
    } finally {
      copied.unpipe(text);
      copied.resume();
      await ended;
    }
  });
}

/** A row of a query in the binary format of COPY, as the bytes of its columns. */
export type BinaryRow = readonly (Buffer | null)[];

/** Size of the signature, the flags and the length of the header extension, which is 0. */
const BINARY_HEADER = 19;

/**
 * Runs a query within a transaction and calls `take` with each row in the binary format of COPY,
 * which needs no conversion of bytes. The transaction runs nothing else meanwhile.
 *
 * @throws DatabaseError without the data of the rows
 */
export async function copyBinary(
  trx: Db,
  query: string,
  bindings: SqlBindings,
  take: (row: BinaryRow) => void,
): Promise<void> {
  const sql = `COPY (${trx.raw(query, bindings as Knex.ValueDict).toQuery()}) TO STDOUT (FORMAT binary)`;
  await withConnection(trx, query, async (connection) => {
    let parts: Buffer[] = [];
    let size = 0;
    let needed = BINARY_HEADER;
    let isHeader = true;
    for await (const chunk of connection.query(to(sql)) as AsyncIterable<Buffer>) {
      parts.push(chunk);
      size += chunk.length;
      if (size < needed) continue;
      let bytes = parts.length === 1 ? chunk : Buffer.concat(parts, size);
      if (isHeader) bytes = bytes.subarray(BINARY_HEADER);
      isHeader = false;
      for (;;) {
        const { row, length } = binaryRow(bytes);
        needed = length;
        if (row === undefined) break;
        take(row);
        bytes = bytes.subarray(length);
      }
      parts = [bytes];
      size = bytes.length;
    }
  });
}

/** Parses the first row, or returns the number of bytes needed to continue. */
function binaryRow(bytes: Buffer): { row?: (Buffer | null)[]; length: number } {
  let at = 2;
  if (bytes.length < at) return { length: at };
  const fields = bytes.readInt16BE(0);
  // Marks the end of the rows.
  if (fields < 0) return { length: Infinity };
  const row: (Buffer | null)[] = [];
  for (let field = 0; field < fields; field += 1) {
    if (bytes.length < at + 4) return { length: at + 4 };
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0) {
      row.push(null);
      continue;
    }
    if (bytes.length < at + length) return { length: at + length };
    row.push(bytes.subarray(at, at + length));
    at += length;
  }
  return { row, length: at };
}

/**
 * Runs a function with the connection of a transaction, and removes the data of rows from errors.
 */
async function withConnection(
  trx: Db,
  sql: string,
  use: (connection: pg.ClientBase) => Promise<void>,
): Promise<void> {
  const client = trx.client as {
    acquireConnection(): Promise<pg.ClientBase>;
    releaseConnection(connection: pg.ClientBase): Promise<void>;
  };
  const connection = await client.acquireConnection();
  try {
    await use(connection);
  } catch (error) {
    if (error instanceof Error) removeData(error, sql);
    throw error;
  } finally {
    await client.releaseConnection(connection);
  }
}

const NEWLINE = 10;

/** Splits whole lines into rows. */
const rowsOf = (text: string): CopiedRow[] =>
  text
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const fields: (string | null)[] = line.split('\t');
      if (!line.includes('\\')) return fields;
      for (let at = 0; at < fields.length; at += 1) fields[at] = valueOf(fields[at]!);
      return fields;
    });

const UNESCAPED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function valueOf(field: string): string | null {
  if (field === String.raw`\N`) return null;
  if (!field.includes('\\')) return field;
  return field.replaceAll(/\\(.)/g, (_, character: string) => UNESCAPED[character] ?? character);
}

function textOf(rows: readonly (readonly CopyValue[])[]): Buffer {
  let text = '';
  // Joining the fields of a row takes a third of the time of adding them to the text one by one.
  for (const row of rows) text += `${row.map(fieldOf).join('\t')}\n`;
  return Buffer.from(text);
}

const NULL = '\\N';

function fieldOf(value: CopyValue): string {
  if (value === null) return NULL;
  if (typeof value === 'string') return escaped(value);
  if (typeof value !== 'object') return String(value);
  if (Buffer.isBuffer(value)) return String.raw`\\x${value.toString('hex')}`;
  return escaped(JSON.stringify(value));
}

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character]!) : text;
