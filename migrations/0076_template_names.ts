import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Null: a template without a name.
  await knex.raw('ALTER TABLE templates ADD COLUMN name text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE templates DROP COLUMN name');
}
