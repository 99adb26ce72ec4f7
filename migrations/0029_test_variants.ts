import type { Knex } from 'knex';

const TABLES = ['links', 'qrcodes'];

export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES) {
    await knex.raw(`
      ALTER TABLE ${table}
        -- Destinations of an A/B test: name, url, percentage.
        ADD COLUMN test_variants jsonb,
        ADD COLUMN test_started_at timestamptz,
        ADD COLUMN test_completed_at timestamptz,
        -- Name of the variant that was chosen.
        ADD COLUMN test_winner text`);
  }
  // Of the click; no event of before has one, so that their counts by variant need not be derived.
  await knex.raw('ALTER TABLE events ADD COLUMN variant text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE events DROP COLUMN variant');
  await knex.raw(`DELETE FROM rollups WHERE dimension = 'variant'`);
  await knex.raw(`DELETE FROM record_rollups WHERE dimension = 'variant'`);
  for (const table of TABLES) {
    await knex.raw(`
      ALTER TABLE ${table} DROP COLUMN test_variants, DROP COLUMN test_started_at,
        DROP COLUMN test_completed_at, DROP COLUMN test_winner`);
  }
}
