import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE templates ADD COLUMN is_default boolean NOT NULL DEFAULT false;
    CREATE UNIQUE INDEX templates_default ON templates (project_id) WHERE is_default`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX templates_default; ALTER TABLE templates DROP COLUMN is_default');
}
