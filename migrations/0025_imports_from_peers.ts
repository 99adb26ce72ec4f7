import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Clicks that another service counted before the link was imported; ours are in counters.
    ALTER TABLE links ADD COLUMN imported_clicks bigint NOT NULL DEFAULT 0;

    ALTER TABLE imports
      ADD COLUMN source text NOT NULL DEFAULT 'csv',
      -- Links whose address is not the one that the other service gave them.
      ADD COLUMN renamed integer NOT NULL DEFAULT 0,
      -- The API that links are read from: its address, the next page, and attempts at it.
      ADD COLUMN remote jsonb,
      -- Sealed; only while links are read.
      ADD COLUMN token text,
      -- Why the links could not be read.
      ADD COLUMN failure text,
      DROP CONSTRAINT imports_state_check,
      ADD CONSTRAINT imports_state_check CHECK (state IN
        ('fetching', 'failed', 'checking', 'checked', 'queued', 'running', 'done', 'cancelled', 'undoing', 'undone'));
    CREATE INDEX imports_fetching ON imports (project_id) WHERE state = 'fetching';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM imports WHERE state IN ('fetching', 'failed');
    ALTER TABLE imports
      DROP CONSTRAINT imports_state_check,
      ADD CONSTRAINT imports_state_check CHECK (state IN
        ('checking', 'checked', 'queued', 'running', 'done', 'cancelled', 'undoing', 'undone')),
      DROP COLUMN source, DROP COLUMN renamed, DROP COLUMN remote, DROP COLUMN token, DROP COLUMN failure;
    ALTER TABLE links DROP COLUMN imported_clicks;
  `);
}
