import type { Knex } from 'knex';

/** Tables of records with a short link. NULL: as the workspace says. */
const TABLES = ['links', 'qrcodes'];

export async function up(knex: Knex): Promise<void> {
  // Without a CHECK, which would read all rows of a large table under its lock.
  for (const table of TABLES) await knex.raw(`ALTER TABLE ${table} ADD COLUMN query_conflict text`);
  await knex.raw(`
    ALTER TABLE workspaces ADD COLUMN query_conflict text NOT NULL DEFAULT 'visitor'
      CHECK (query_conflict IN ('visitor', 'owner'))`);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of [...TABLES, 'workspaces']) {
    await knex.raw(`ALTER TABLE ${table} DROP COLUMN query_conflict`);
  }
}
