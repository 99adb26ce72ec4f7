import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // The console's language; null for the browser's.
  await knex.raw('ALTER TABLE users ADD COLUMN language text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE users DROP COLUMN language');
}
