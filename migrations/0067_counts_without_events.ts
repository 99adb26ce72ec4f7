import type { Knex } from 'knex';

const TABLES = ['links', 'qrcodes', 'workspaces'];

export async function up(knex: Knex): Promise<void> {
  // False: visits are counted, and no event of them is stored.
  for (const table of TABLES) {
    await knex.raw(`ALTER TABLE ${table} ADD COLUMN track_events boolean NOT NULL DEFAULT true`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES.toReversed()) {
    await knex.raw(`ALTER TABLE ${table} DROP COLUMN track_events`);
  }
}
