import { type Db, execute, rows } from '../src/infra/db.ts';
import { migrating } from './migrations.ts';

/*
 * Large tables of workspaces as partitions by the hash of a column
 * (docs/decisions/0013-partitions.md). Everything about a table except its rows is read from the
 * catalog, so that migrations can change it without a change here.
 */

/** Partitioned tables, with the column whose hash chooses the partition. */
const DIVIDED: Readonly<Record<string, string>> = {
  links: 'project_id',
  link_tags: 'project_id',
  qrcodes: 'project_id',
  qrcode_tags: 'project_id',
  customers: 'project_id',
  counters: 'project_id',
  // Names are unique over all workspaces, which Postgres can only enforce with a column of the
  // name.
  claims: 'domain_id',
};

/**
 * Maximum number of partitions. More would need more locks per transaction than a server has by
 * default.
 */
export const MAX_PARTS = 64;

/** A table after its division. */
export interface Divided {
  table: string;
  parts: number;
  rows: number;
}

/**
 * Divides tables into a number of partitions each, or makes them whole again if the number is one.
 * It runs in one transaction, during which nobody else can use them. A table with the right number
 * is left alone.
 *
 * @param log receives a line for each table
 */
export async function partitionTables(
  databaseUrl: string,
  parts: number,
  log: (line: string) => void = () => {},
): Promise<Divided[]> {
  return migrating(databaseUrl, (db) =>
    db.transaction(async (trx) => {
      const other = await tablesWithout(trx, parts);
      if (other.length === 0) return [];
      await trx.raw('LOCK TABLE ?? IN ACCESS EXCLUSIVE MODE'.replace('??', list(other)));
      const references = await referencesOf(trx, other);
      for (const { table, name } of references) {
        await trx.raw('ALTER TABLE ?? DROP CONSTRAINT ??', [table, name]);
      }
      const divided: Divided[] = [];
      for (const table of other) {
        const count = await divide(trx, table, parts);
        log(`${table}: ${count} rows in ${parts === 1 ? 'one table' : `${parts} partitions`}`);
        divided.push({ table, parts, rows: count });
      }
      for (const { table, name, definition } of references) {
        await run(trx, `ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`);
      }
      await trx.raw(`ANALYZE ${list(other)}`);
      return divided;
    }),
  );
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const list = (names: readonly string[]): string => names.map(quoted).join(', ');

/** Runs a statement without placeholders: knex takes every question mark for one. */
const run = (trx: Db, sql: string): Promise<number> => execute(trx, sql.replaceAll('?', '\\?'));

/** Reads the tables with another number of partitions. */
async function tablesWithout(trx: Db, parts: number): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    trx,
    `SELECT relname AS name FROM pg_class c
      WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(:names) AND relkind IN ('r', 'p')
        AND CASE relkind WHEN 'r' THEN 1 ELSE (SELECT count(*) FROM pg_inherits WHERE inhparent = c.oid) END <> :parts
      ORDER BY array_position(:names::text[], relname::text)`,
    { names: Object.keys(DIVIDED), parts },
  );
  return tables.map(({ name }) => name);
}

interface Definition {
  table: string;
  name: string;
  definition: string;
}

/** Reads the foreign keys of tables, and those of other tables that reference them. */
const referencesOf = (trx: Db, tables: readonly string[]): Promise<Definition[]> =>
  rows(
    trx,
    `SELECT t.relname AS table, c.conname AS name, pg_get_constraintdef(c.oid) AS definition
       FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class f ON f.oid = c.confrelid
      WHERE c.contype = 'f' AND c.conparentid = 0 AND c.connamespace = current_schema()::regnamespace
        AND (t.relname = ANY(:tables) OR f.relname = ANY(:tables))
      ORDER BY c.oid`,
    { tables },
  );

/** Rebuilds a table with its rows. @returns their number */
async function divide(trx: Db, table: string, parts: number): Promise<number> {
  const before = `${table}_before`;
  const after = await definitionsOf(trx, table);
  const options = await optionsOf(trx, table);
  await run(trx, `ALTER TABLE ${quoted(table)} RENAME TO ${quoted(before)}`);
  const like = `CREATE TABLE ${quoted(table)} (LIKE ${quoted(before)} INCLUDING ALL EXCLUDING INDEXES)`;
  if (parts === 1) {
    await run(trx, `${like}${options}`);
  } else {
    await run(trx, `${like} PARTITION BY HASH (${quoted(DIVIDED[table]!)})`);
    for (let part = 0; part < parts; part += 1) {
      await run(
        trx,
        `CREATE TABLE ${quoted(`${table}_p${part}`)} PARTITION OF ${quoted(table)}
           FOR VALUES WITH (MODULUS ${parts}, REMAINDER ${part})${options}`,
      );
    }
  }
  const columns = list(await columnsOf(trx, table));
  await run(
    trx,
    `INSERT INTO ${quoted(table)} (${columns}) SELECT ${columns} FROM ${quoted(before)}`,
  );
  const [was, is] = [await countOf(trx, before), await countOf(trx, table)];
  if (was !== is) throw new Error(`${table} has ${is} rows after ${was} before`);
  // The indexes of the new table get the names of the old ones.
  await run(trx, `DROP TABLE ${quoted(before)}`);
  for (const statement of after) await run(trx, statement);
  return is;
}

async function countOf(trx: Db, table: string): Promise<number> {
  const [row] = await rows<{ count: number }>(trx, `SELECT count(*) FROM ${quoted(table)}`);
  return row!.count;
}

/** Reads the stored columns. */
async function columnsOf(trx: Db, table: string): Promise<string[]> {
  const found = await rows<{ name: string }>(
    trx,
    `SELECT attname AS name FROM pg_attribute
      WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  return found.map(({ name }) => name);
}

/**
 * Builds the statements for keys, indexes, triggers and privileges of a table; LIKE copies the
 * rest.
 */
async function definitionsOf(trx: Db, table: string): Promise<string[]> {
  const found = await rows<{ statement: string }>(
    trx,
    `SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', :table::text, conname, pg_get_constraintdef(oid)) AS statement
       FROM pg_constraint WHERE conrelid = :table::regclass AND contype IN ('p', 'u', 'x')
     UNION ALL
     -- Of a partitioned table it would be the index of no partition.
     SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index
      WHERE indrelid = :table::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
     UNION ALL
     SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = :table::regclass AND NOT tgisinternal
     UNION ALL
     SELECT format('GRANT %s ON %I TO %s%s', privilege_type, :table::text,
                   CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
                   CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
       FROM pg_class, aclexplode(relacl) WHERE oid = :table::regclass AND grantee <> relowner`,
    { table },
  );
  return found.map(({ statement }) => statement);
}

/** Storage parameters of a table as a clause; a partitioned table uses those of its partitions. */
async function optionsOf(trx: Db, table: string): Promise<string> {
  const [row] = await rows<{ options: string[] | null }>(
    trx,
    `SELECT reloptions AS options FROM pg_class LEFT JOIN pg_inherits ON inhrelid = oid
      WHERE relkind = 'r' AND :table::regclass IN (oid, inhparent) ORDER BY relname LIMIT 1`,
    { table },
  );
  return row!.options === null ? '' : ` WITH (${row!.options.join(', ')})`;
}
