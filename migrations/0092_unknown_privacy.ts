import type { Knex } from 'knex';

const TABLES = ['events', 'event_outbox'];

export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES) {
    // A process of an earlier release that still runs does not say what its visitors wished.
    await knex.raw(`ALTER TABLE ${table} ALTER COLUMN privacy SET DEFAULT 'unknown'`);
  }
  await knex.raw('CREATE INDEX trash_latest ON trash (project_id, deleted_at, id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX trash_latest');
  for (const table of TABLES) {
    await knex.raw(`ALTER TABLE ${table} ALTER COLUMN privacy DROP DEFAULT`);
  }
}
