import type { Knex } from 'knex';

const TABLES = ['api_keys', 'workspace_users', 'invitations', 'exports'];

export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLES.map((table) => `ALTER TABLE ${table} ADD COLUMN limits jsonb`).join(';'));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(TABLES.map((table) => `ALTER TABLE ${table} DROP COLUMN limits`).join(';'));
}
