import type { Knex } from 'knex';

/** Scopes, filters, formats and credentials of webhooks. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhooks
      ADD COLUMN scope text NOT NULL DEFAULT 'links'
        CHECK (scope IN ('links', 'all', 'domain', 'folder', 'tag')),
      -- Names of domains, or ids of folders or tags; NULL for the other scopes.
      ADD COLUMN scope_values text[],
      ADD COLUMN filter jsonb,
      ADD COLUMN format text NOT NULL DEFAULT 'standard',
      -- Sealed: own headers, user name and password.
      ADD COLUMN credentials text`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhooks
      DROP COLUMN scope, DROP COLUMN scope_values, DROP COLUMN filter, DROP COLUMN format,
      DROP COLUMN credentials`);
}
