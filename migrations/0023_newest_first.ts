import type { Knex } from 'knex';

/** The order of lists, newest first: without it, each page sorts the whole workspace. */
const TABLES = ['links', 'qrcodes'];

export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES) {
    await knex.raw(`CREATE INDEX ${table}_newest ON ${table} (project_id, created_at, id)`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES) await knex.raw(`DROP INDEX ${table}_newest`);
}
