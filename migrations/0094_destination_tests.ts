import type { Knex } from 'knex';

/** Test events of destinations, and what their receivers refused. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE destinations
      -- Consecutive attempts in which the receiver refused all events.
      ADD COLUMN refused_attempts integer NOT NULL DEFAULT 0,
      -- Events given up since the receiver last accepted one.
      ADD COLUMN given_up integer NOT NULL DEFAULT 0,
      ADD COLUMN last_refusal text,
      ADD COLUMN last_refused_at timestamptz,
      ADD COLUMN test jsonb`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE destinations
      DROP COLUMN refused_attempts, DROP COLUMN given_up, DROP COLUMN last_refusal,
      DROP COLUMN last_refused_at, DROP COLUMN test`);
}
