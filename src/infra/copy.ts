import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import { type Db, removeData } from './db.ts';

/** A value of a column in the text format of COPY. A list becomes an array of Postgres; other objects become JSON. */
export type CopyValue = string | number | boolean | null | readonly (number | bigint)[] | object;

/**
 * Adds rows to a table within a transaction, in the text format of COPY (PostgreSQL, COPY, File Formats).
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
  const client = trx.client as {
    acquireConnection(): Promise<pg.ClientBase>;
    releaseConnection(connection: pg.ClientBase): Promise<void>;
  };
  const connection = await client.acquireConnection();
  try {
    await pipeline([textOf(rows)], connection.query(from(sql)));
  } catch (error) {
    if (error instanceof Error) removeData(error, sql);
    throw error;
  } finally {
    await client.releaseConnection(connection);
  }
}

function textOf(rows: readonly (readonly CopyValue[])[]): Buffer {
  let text = '';
  for (const row of rows) {
    let isFirst = true;
    for (const value of row) {
      text += isFirst ? fieldOf(value) : `\t${fieldOf(value)}`;
      isFirst = false;
    }
    text += '\n';
  }
  return Buffer.from(text);
}

function fieldOf(value: CopyValue): string {
  if (value === null) return String.raw`\N`;
  if (typeof value === 'string') return escaped(value);
  if (typeof value !== 'object') return String(value);
  return Array.isArray(value) ? `{${value.join(',')}}` : escaped(JSON.stringify(value));
}

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character]!) : text;
