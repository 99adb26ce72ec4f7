import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { connectDb, type Db, type Knex, rows } from '../../src/infra/db.ts';
import { type Manifest, readZipped, type TableInfo, tableFile, writeZipped } from './files.ts';

/*
 * Reads and writes Postgres with COPY over an ordinary connection, so that no program of Postgres
 * must be installed in the right version. The schema is not stored, since migrations create it.
 */

/** Tables of the migration tool, which are filled by running migrations. */
const OWN = ['knex_migrations', 'knex_migrations_lock'];

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

type DatabasePart = Pick<
  Manifest,
  'createdAt' | 'migrations' | 'tables' | 'partitions' | 'sequences'
>;

/**
 * Writes every table of a database in one snapshot.
 *
 * @param files receives the SHA-256 of each file
 */
export async function exportTables(
  databaseUrl: string,
  folder: string,
  files: Record<string, string>,
): Promise<DatabasePart> {
  return withConnection(databaseUrl, async (db, client) => {
    await db.raw('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const [{ now }] = (await rows<{ now: Date }>(db, 'SELECT now()')) as [{ now: Date }];
    const migrations = await rows<{ name: string }>(
      db,
      'SELECT name FROM knex_migrations ORDER BY id',
    );
    const tables: TableInfo[] = [];
    for (const { name, columns } of await listTables(db)) {
      const list = columns.map(quoted).join(', ');
      // A query, since COPY of a partitioned table returns none of its rows.
      const copy = client.query(copyTo(`COPY (SELECT ${list} FROM ${quoted(name)}) TO STDOUT`));
      files[tableFile(name)] = await writeZipped(path.join(folder, tableFile(name)), copy);
      tables.push({ name, columns, rows: copy.rowCount });
    }
    return {
      createdAt: now.toISOString(),
      migrations: migrations.map(({ name }) => name),
      tables,
      partitions: await rows(db, PARTITIONS),
      sequences: await sequencesOf(db),
    };
  });
}

/** Replaces the rows of a database with the schema of the manifest, in one transaction. */
export async function importTables(
  databaseUrl: string,
  folder: string,
  { tables, partitions, sequences, createdAt }: Manifest,
): Promise<void> {
  await withConnection(databaseUrl, async (db, client) => {
    const names = tables.map(({ name }) => name);
    await db.raw(`TRUNCATE ${names.map(quoted).join(', ')} CASCADE`);
    const partitioned = await partitionedTables(db);
    for (const { name, of, bounds } of partitions) {
      // An operator may have divided a table that migrations create as a whole.
      if (!partitioned.has(of)) continue;
      const sql = `CREATE TABLE IF NOT EXISTS ${quoted(name)} PARTITION OF ${quoted(of)} ${bounds}`;
      // knex would take a question mark for a placeholder.
      await client.query(sql);
    }
    // The rows are copied as they were, with the effects that triggers had.
    const triggered = await tablesWithTriggers(db);
    for (const name of triggered) await db.raw('ALTER TABLE ?? DISABLE TRIGGER USER', [name]);
    for (const name of await inOrderOfReferences(db, names)) {
      const { columns } = tables.find((table) => table.name === name)!;
      const list = columns.map(quoted).join(', ');
      const copy = client.query(copyFrom(`COPY ${quoted(name)} (${list}) FROM STDIN`));
      await pipeline(readZipped(path.join(folder, tableFile(name))), copy);
    }
    for (const { name, value, isCalled } of sequences) {
      await client.query('SELECT setval($1::regclass, $2, $3)', [quoted(name), value, isCalled]);
    }
    for (const name of triggered) await db.raw('ALTER TABLE ?? ENABLE TRIGGER USER', [name]);
    await goOn(client, createdAt);
  });
}

/**
 * Shifts times of expiry as if no time had passed since the backup: rows that record which visits
 * and jobs have had their effects must outlive the visits and jobs in the backup.
 */
async function goOn(client: pg.Client, createdAt: string): Promise<void> {
  await client.query(
    `UPDATE visit_guards SET expires_at = expires_at + (now() - $1::timestamptz)`,
    [createdAt],
  );
  await client.query(`UPDATE jobs SET created_at = created_at + (now() - $1::timestamptz)`, [
    createdAt,
  ]);
}

async function withConnection<Result>(
  databaseUrl: string,
  work: (db: Knex.Transaction, client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const db = connectDb(databaseUrl, 1, 'backup', { statement_timeout: 0 });
  try {
    return await db.transaction(async (trx) => {
      const client = (await trx.client.acquireConnection()) as pg.Client;
      return work(trx, client);
    });
  } finally {
    await db.destroy();
  }
}

/** Reads the tables of the schema, except partitions, with their stored columns. */
const listTables = async (db: Db): Promise<{ name: string; columns: string[] }[]> =>
  rows(
    db,
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND c.relname <> ALL (:own)
      GROUP BY c.relname ORDER BY c.relname`,
    { own: OWN },
  );

const PARTITIONS = `
  SELECT c.relname AS name, p.relname AS of, pg_get_expr(c.relpartbound, c.oid) AS bounds
    FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid JOIN pg_class p ON p.oid = i.inhparent
    WHERE c.relispartition AND c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`;

/** Reads the names of tables with triggers of their own, apart from those of their constraints. */
async function tablesWithTriggers(db: Db): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    db,
    `SELECT DISTINCT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND NOT c.relispartition
        AND c.relnamespace = current_schema()::regnamespace`,
  );
  return tables.map(({ name }) => name);
}

/** Reads the names of tables with partitions. */
async function partitionedTables(db: Db): Promise<Set<string>> {
  const tables = await rows<{ name: string }>(
    db,
    `SELECT relname AS name FROM pg_class
      WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace`,
  );
  return new Set(tables.map(({ name }) => name));
}

async function sequencesOf(db: Db): Promise<Manifest['sequences']> {
  const names = await rows<{ name: string }>(
    db,
    `SELECT relname AS name FROM pg_class
      WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace AND NOT starts_with(relname, 'knex_migrations')`,
  );
  const sequences: Manifest['sequences'] = [];
  for (const { name } of names) {
    const [row] = await rows<{ value: string; isCalled: boolean }>(
      db,
      `SELECT last_value::text AS value, is_called AS "isCalled" FROM ${quoted(name)}`,
    );
    sequences.push({ name, ...row! });
  }
  return sequences;
}

/** Sorts tables so that each comes after those that it references. */
async function inOrderOfReferences(db: Db, names: readonly string[]): Promise<string[]> {
  const references = await rows<{ from: string; to: string }>(
    db,
    `SELECT f.relname AS from, t.relname AS to
      FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
      WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace AND c.conrelid <> c.confrelid`,
  );
  const ordered: string[] = [];
  let remaining = [...names];
  while (remaining.length > 0) {
    const sortable = remaining.filter(
      (name) => !references.some(({ from, to }) => from === name && remaining.includes(to)),
    );
    if (sortable.length === 0)
      throw new Error(`tables refer to each other: ${remaining.join(', ')}`);
    ordered.push(...sortable);
    remaining = remaining.filter((name) => !sortable.includes(name));
  }
  return ordered;
}
