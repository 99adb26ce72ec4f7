import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Set on the name that a link has left: nothing stands under it, and until then no other record can have it.
    ALTER TABLE claims ADD COLUMN free_at timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM claims WHERE free_at IS NOT NULL;
    ALTER TABLE claims DROP COLUMN free_at;
  `);
}
