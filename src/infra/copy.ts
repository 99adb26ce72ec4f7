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

/**
 * A row of a query in the binary format of COPY, as the bytes of its columns; they are valid until
 * the function that takes them returns.
 */
export type BinaryRow = readonly (Buffer | null)[];

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
  await withConnection(
    trx,
    query,
    (connection) =>
      new Promise((resolve, reject) => {
        connection.query(new BinaryCopy(sql, take, (error) => (error ? reject(error) : resolve())));
      }),
  );
}

/** Size of the signature, the flags and the length of the header extension, which is 0. */
const BINARY_HEADER = 19;

/**
 * A query that the driver calls with each message of the server. Streams would copy the bytes
 * several times more.
 */
class BinaryCopy implements pg.Submittable {
  readonly text: string;
  readonly #take: (row: BinaryRow) => void;
  readonly #end: (error?: unknown) => void;
  #hasHeader = false;
  #error: unknown;

  constructor(sql: string, take: (row: BinaryRow) => void, end: (error?: unknown) => void) {
    this.text = sql;
    this.#take = take;
    this.#end = end;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.text);
  }

  /** Takes a row, with the header before the first one; or the end of the rows. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#error !== undefined) return;
    const bytes = this.#hasHeader ? chunk : chunk.subarray(BINARY_HEADER);
    this.#hasHeader = true;
    try {
      const row = binaryRow(bytes);
      if (row !== undefined) this.#take(row);
    } catch (error) {
      // The driver would take it for a failure of the connection.
      this.#error = error;
    }
  }

  handleError(error: Error): void {
    this.#end(this.#error ?? error);
  }

  handleReadyForQuery(): void {
    this.#end(this.#error);
  }

  handleCommandComplete(): void {}
}

/** Parses a row; `undefined` for the end of the rows, which has -1 fields. */
function binaryRow(bytes: Buffer): BinaryRow | undefined {
  const fields = bytes.length === 0 ? -1 : bytes.readInt16BE(0);
  if (fields < 0) return undefined;
  const row: (Buffer | null)[] = [];
  for (let field = 0, at = 2; field < fields; field += 1) {
    const length = bytes.readInt32BE(at);
    at += 4;
    row.push(length < 0 ? null : bytes.subarray(at, at + length));
    at += Math.max(length, 0);
  }
  return row;
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
