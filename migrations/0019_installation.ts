import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What all processes on this database have to agree on.
    CREATE TABLE installation (
      name text PRIMARY KEY,
      value text NOT NULL
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE installation');
}
