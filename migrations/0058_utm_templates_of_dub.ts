import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE utm_templates
      -- The parameter ref, which only clients of Dub set.
      ADD COLUMN ref text,
      -- Who created it; NULL: a template of an earlier version, or from an import.
      ADD COLUMN user_id text COLLATE "C"`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE utm_templates DROP COLUMN user_id, DROP COLUMN ref');
}
