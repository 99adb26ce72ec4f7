import type { Knex } from 'knex';

/** Tables of records with a destination. */
const TABLES = ['links', 'qrcodes'];

export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES) {
    // The hash, since a destination can be longer than an index allows. It comes first: without
    // statistics, Postgres may read any index that begins with project_id to find a record by id.
    await knex.raw(`CREATE INDEX ${table}_destination ON ${table} (md5(url), project_id)`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES) await knex.raw(`DROP INDEX ${table}_destination`);
}
