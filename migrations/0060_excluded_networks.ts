import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Networks whose visits are not counted, such as 203.0.113.0/24.
    ALTER TABLE workspaces ADD COLUMN excluded_ips text[] NOT NULL DEFAULT '{}'`);
  // Redirect processes read the ids of these workspaces, which are few, again and again.
  await knex.raw(`
    CREATE INDEX workspaces_excluding ON workspaces (id) WHERE excluded_ips <> '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE workspaces DROP COLUMN excluded_ips');
}
