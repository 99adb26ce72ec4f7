import type { Knex } from 'knex';

/** Changes of many links or QR codes at once. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The columns of progress are written in the transactions of the slices.
    CREATE TABLE bulk_changes (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('link', 'qrcode')),
      state text NOT NULL CHECK (state IN
        ('checking', 'checked', 'queued', 'running', 'done', 'cancelled', 'undoing', 'undone')),
      user_id text COLLATE "C" NOT NULL,
      -- Limits of the caller who created it; NULL for none.
      limits jsonb,
      -- Person, key and limits for whom the next slices are written.
      actor jsonb,
      -- The change as in the body of the request; replacement: find and replace in destinations.
      data jsonb NOT NULL,
      replacement jsonb,
      total integer NOT NULL,
      -- The next slice.
      slice integer NOT NULL DEFAULT 0,
      done integer NOT NULL DEFAULT 0,
      changed integer NOT NULL DEFAULT 0,
      unchanged integer NOT NULL DEFAULT 0,
      refused integer NOT NULL DEFAULT 0,
      examples jsonb,
      undo jsonb,
      -- Look-up entries that the last slice changed, until they are published.
      lookups jsonb,
      has_items boolean NOT NULL DEFAULT true,
      created_at timestamptz NOT NULL DEFAULT now(),
      -- Order of the bulk changes of a workspace.
      requested_at timestamptz NOT NULL DEFAULT now(),
      started_at timestamptz,
      ended_at timestamptz,
      PRIMARY KEY (project_id, id)
    );
    CREATE INDEX bulk_changes_open ON bulk_changes (project_id)
      WHERE state IN ('checking', 'queued', 'running', 'undoing') OR lookups IS NOT NULL;
    CREATE INDEX bulk_changes_items ON bulk_changes (ended_at) WHERE has_items;

    -- The records of a bulk change, by slices.
    CREATE TABLE bulk_change_items (
      project_id text COLLATE "C" NOT NULL,
      bulk_change_id text COLLATE "C" NOT NULL,
      slice integer NOT NULL,
      position integer NOT NULL,
      record_id text COLLATE "C" NOT NULL,
      -- The short link; NULL if there was no such record.
      name text,
      -- Id of the entry of the history, if the record was changed.
      change_id text COLLATE "C",
      -- Reason why it was not changed, or why its change was not undone.
      error text,
      undo_error text,
      PRIMARY KEY (project_id, bulk_change_id, slice, position),
      FOREIGN KEY (project_id, bulk_change_id) REFERENCES bulk_changes ON DELETE CASCADE
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE bulk_change_items, bulk_changes');
}
