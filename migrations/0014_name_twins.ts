import type { Knex } from 'knex';

/**
 * Lets 0015_name_keys compose names: two that were told apart may become the same text, which the unique index of then
 * refuses. Does nothing where 0015 has run already.
 */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('tags', 'name_key')) return;
  for (const table of ['tags', 'folders']) {
    await knex.raw(`
      DROP INDEX ${table}_name;
      CREATE INDEX ${table}_name ON ${table} (project_id, lower(name));
    `);
  }
}

/** 0015_name_keys makes the unique index again when it is taken back. */
export async function down(): Promise<void> {}
