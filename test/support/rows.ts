import { expect } from 'chai';
import type { Knex } from '../../src/infra/db.ts';

/** Tables derived from others: upgrades rebuild them, and analytics tests compare them. */
const DERIVED = new Set([
  'rollups',
  'record_rollups',
  'rollup_rebuilds',
  'event_texts',
  'rollup_deltas',
  'event_values',
  'event_blocks',
  'event_block_columns',
  'event_block_sums',
  'event_block_counts',
  'events_stored',
  'knex_migrations_lock',
]);
/** Columns that an upgrade recomputes. */
const COMPUTED = new Set(['entry', 'name_key', 'version', 'summed_until']);

interface RequiredColumn {
  name: string;
  type: string;
}

/** Values that satisfy check constraints. */
const CHECKED: Record<string, unknown> = {
  'exports.format': 'csv',
  'imports.state': 'done',
  'views.list': 'links',
  'sessions.method': 'password',
  'invitations.role': 'viewer',
  'workspace_users.role': 'owner',
};
const VALUES: Record<string, unknown> = {
  text: 'x',
  integer: 1,
  smallint: 1,
  bigint: 1,
  boolean: false,
  jsonb: '{}',
  'text[]': '{}',
  date: '2026-01-02',
  'timestamp with time zone': '2026-01-02T03:04:05Z',
  bytea: Buffer.from('x'),
};

/** Adds one row to every empty table, which references existing rows. */
export async function fillEmptyTables(database: Knex): Promise<void> {
  let emptyTables = [...(await rowsOf(database))].flatMap(([table, rows]) =>
    rows.length === 0 ? [table] : [],
  );
  for (let before = Infinity; emptyTables.length < before; ) {
    before = emptyTables.length;
    const failed: string[] = [];
    for (const table of emptyTables) if (!(await fill(database, table))) failed.push(table);
    emptyTables = failed;
  }
  expect(emptyTables, 'tables that a row is missing for').to.deep.equal([]);
}

/** @returns false if a referenced table has no row yet */
async function fill(database: Knex, table: string): Promise<boolean> {
  const { rows: columns } = await database.raw<{ rows: RequiredColumn[] }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull AND NOT atthasdef
        AND attidentity = '' AND attgenerated = ''`,
    [table],
  );
  const row: Row = {};
  for (const { name, type } of columns) row[name] = CHECKED[`${table}.${name}`] ?? VALUES[type];
  const { rows: references } = await database.raw<{
    rows: { to: string; mine: string[]; theirs: string[] }[];
  }>(
    `SELECT confrelid::regclass::text AS to,
            (SELECT array_agg(attname::text ORDER BY place) FROM unnest(conkey) WITH ORDINALITY AS k(num, place)
              JOIN pg_attribute ON attrelid = conrelid AND attnum = num) AS mine,
            (SELECT array_agg(attname::text ORDER BY place) FROM unnest(confkey) WITH ORDINALITY AS k(num, place)
              JOIN pg_attribute ON attrelid = confrelid AND attnum = num) AS theirs
       FROM pg_constraint WHERE conrelid = ?::regclass AND contype = 'f'`,
    [table],
  );
  for (const { to, mine, theirs } of references) {
    const { id } = await database('workspaces').where({ slug: 'acme' }).first('id');
    const own =
      to === 'workspaces' ? { id } : theirs.includes('project_id') ? { project_id: id } : {};
    const there = (await database(to).where(own).first()) as Row | undefined;
    if (there === undefined) return false;
    for (const [at, column] of mine.entries()) {
      if (column in row) row[column] = there[theirs[at]!];
    }
  }
  await database(table).insert(row);
  return true;
}

/** A row in JSON. */
export type Row = Record<string, unknown>;

/**
 * Reads the rows of every table that is not derived, as JSON; those of a partitioned table once.
 */
export async function rowsOf(database: Knex): Promise<Map<string, Row[]>> {
  const { rows: tables } = await database.raw<{ rows: { name: string }[] }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const byTable = new Map<string, Row[]>();
  for (const { name } of tables) {
    if (DERIVED.has(name)) continue;
    const query = database.raw<{ rows: { row: Row }[] }>('SELECT to_jsonb(t) AS row FROM ?? t', [
      name,
    ]);
    byTable.set(
      name,
      (await query).rows.map(({ row }) => row),
    );
  }
  return byTable;
}

/** Checks that every earlier row still exists, with its earlier values in the remaining columns. */
export function expectKept(table: string, before: readonly Row[], after: readonly Row[]): void {
  const columns = Object.keys(before[0] ?? {}).filter(
    (column) => !COMPUTED.has(column) && (after[0] === undefined || column in after[0]),
  );
  const textOf = (row: Row) => JSON.stringify(columns.map((column) => row[column]));
  const there = new Set(after.map(textOf));
  expect(
    before.map(textOf).filter((text) => !there.has(text)),
    table,
  ).to.deep.equal([]);
}
