import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE jobs
      -- Of a request with an Idempotency-Key: keyed hash of its contents, and which of its repeats came first.
      ADD COLUMN fingerprint text,
      ADD COLUMN first_request text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE jobs DROP COLUMN fingerprint, DROP COLUMN first_request');
}
