import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE workspace_users
      -- True: the membership follows the groups of the person at the OpenID Connect provider.
      ADD COLUMN from_groups boolean NOT NULL DEFAULT false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE workspace_users DROP COLUMN from_groups');
}
