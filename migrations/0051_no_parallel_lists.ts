import type { Knex } from 'knex';

/** Tables of a workspace's records, all of which a list or a count may read. */
const TABLES = ['links', 'link_tags', 'qrcodes', 'qrcode_tags', 'customers', 'counters'];

/** Changes a storage parameter of the tables, or of their partitions: one that is divided has none. */
async function alter(knex: Knex, change: string): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
      WHERE c.relkind = 'r' AND coalesce(i.inhparent, c.oid) = ANY(?::regclass[])`,
    [TABLES],
  );
  for (const { name } of rows) await knex.raw(`ALTER TABLE ${name} ${change}`);
}

/** A list that no index answers must not take three processors: those of all workspaces wait for them. */
export const up = (knex: Knex): Promise<void> => alter(knex, 'SET (parallel_workers = 0)');

export const down = (knex: Knex): Promise<void> => alter(knex, 'RESET (parallel_workers)');
