import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE destination_checks
      -- The further destinations of the link: of A/B variants, devices, countries, rules and after its expiry.
      ADD COLUMN others text[] NOT NULL DEFAULT '{}',
      -- The destination that the result is about, where it is one of these.
      ADD COLUMN other_url text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE destination_checks DROP COLUMN others, DROP COLUMN other_url');
}
