import type { Knex } from 'knex';

/** Deleted links and QR codes that can be restored. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE trash (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('link', 'qrcode')),
      deleted_at timestamptz NOT NULL DEFAULT now(),
      -- NULL: the service itself.
      user_id text COLLATE "C",
      api_key_id text COLLATE "C",
      -- The row of links or qrcodes, without its password.
      record jsonb NOT NULL,
      -- Sealed.
      password text,
      -- In the order of the record's tags.
      tag_ids text[] COLLATE "C" NOT NULL,
      -- Rows of counters and kept_counts.
      counters jsonb,
      kept_counts jsonb,
      -- The expiry of the link was announced.
      is_announced boolean NOT NULL,
      PRIMARY KEY (project_id, id)
    );
    CREATE INDEX trash_deleted_at ON trash (deleted_at)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE trash');
}
