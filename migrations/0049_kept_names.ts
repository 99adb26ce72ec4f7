import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The record that had the name was deleted, so its workspace can have the name again before free_at.
    ALTER TABLE claims ADD COLUMN is_deleted boolean NOT NULL DEFAULT false;
    -- Names that nothing stands under any more, which a scheduled job frees.
    CREATE INDEX claims_kept ON claims (free_at) WHERE free_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM claims WHERE is_deleted;
    DROP INDEX claims_kept;
    ALTER TABLE claims DROP COLUMN is_deleted;
  `);
}
