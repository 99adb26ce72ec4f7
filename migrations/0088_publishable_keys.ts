import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys
      -- The key itself, which is no secret, of publishable keys; NULL for other keys.
      ADD COLUMN public_key text COLLATE "C",
      -- Origins whose pages may use a publishable key; NULL for other keys.
      ADD COLUMN origins text[],
      ADD CONSTRAINT api_keys_publishable CHECK ((public_key IS NULL) = (origins IS NULL))`);
}

export async function down(knex: Knex): Promise<void> {
  // Releases without publishable keys would accept them like secret ones.
  await knex.raw(`
    UPDATE api_keys SET revoked_at = now() WHERE public_key IS NOT NULL AND revoked_at IS NULL;
    ALTER TABLE api_keys
      DROP CONSTRAINT api_keys_publishable, DROP COLUMN public_key, DROP COLUMN origins`);
}
