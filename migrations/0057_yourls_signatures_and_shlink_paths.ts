import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The sealed key itself, only of keys with which YOURLS clients sign.
    ALTER TABLE api_keys ADD COLUMN sealed_key text;
    -- The domain answers /key/qr-code and /key/track as Shlink does.
    ALTER TABLE domains ADD COLUMN shlink_paths boolean NOT NULL DEFAULT false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE domains DROP COLUMN shlink_paths;
    ALTER TABLE api_keys DROP COLUMN sealed_key;
  `);
}
