import type { Knex } from 'knex';

/** Changes of links and QR codes with the values before and after them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE record_changes (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      record_id text COLLATE "C" NOT NULL,
      -- In the order of the changes.
      id text COLLATE "C" NOT NULL,
      at timestamptz NOT NULL DEFAULT now(),
      action text NOT NULL,
      -- NULL: the service itself.
      user_id text COLLATE "C",
      api_key_id text COLLATE "C",
      -- The change that this one takes back.
      reverted_id text COLLATE "C",
      -- Values before and after, by column.
      changes jsonb NOT NULL,
      -- Sealed: the password before.
      password text,
      -- Images of the values before, which are kept for a revert.
      image_ids text[] COLLATE "C",
      PRIMARY KEY (project_id, record_id, id)
    );
    -- For pruning alone: rows are added in the order of their time.
    CREATE INDEX record_changes_at ON record_changes USING brin (at);
    CREATE INDEX record_changes_images ON record_changes (project_id) WHERE image_ids IS NOT NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE record_changes');
}
