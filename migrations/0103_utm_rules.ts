import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Rules for UTM parameters: lowercase, separator, required; NULL: none.
    ALTER TABLE workspaces ADD COLUMN utm_rules jsonb`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE workspaces DROP COLUMN utm_rules');
}
