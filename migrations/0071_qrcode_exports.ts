import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Exports of images are written in many transactions; those without options in one.
    ALTER TABLE exports DROP CONSTRAINT exports_format_check,
      ADD CONSTRAINT exports_format_check CHECK (format IN ('csv', 'ndjson', 'jsonl.gz', 'zip', 'pdf')),
      ADD COLUMN state text NOT NULL DEFAULT 'done'
        CHECK (state IN ('queued', 'running', 'done', 'cancelled', 'failed')),
      ADD COLUMN options jsonb,
      ADD COLUMN total integer NOT NULL DEFAULT 0,
      ADD COLUMN done integer NOT NULL DEFAULT 0,
      ADD COLUMN failed integer NOT NULL DEFAULT 0,
      ADD COLUMN bytes integer NOT NULL DEFAULT 0,
      ADD COLUMN failure text,
      ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
    CREATE INDEX exports_unfinished ON exports (project_id) WHERE state IN ('queued', 'running');
    -- The rows of a file's directory for the content of the part.
    ALTER TABLE export_parts ADD COLUMN directory bytea;
    ALTER TABLE export_parts ALTER COLUMN directory SET STORAGE EXTERNAL;
    CREATE TABLE export_items (
      export_id text COLLATE "C" NOT NULL REFERENCES exports ON DELETE CASCADE,
      position integer NOT NULL,
      record_id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      -- The reason why the item is not in the file.
      error text,
      PRIMARY KEY (export_id, position)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM exports WHERE format IN ('zip', 'pdf');
    DROP TABLE export_items;
    DROP INDEX exports_unfinished;
    ALTER TABLE export_parts DROP COLUMN directory;
    ALTER TABLE exports DROP COLUMN state, DROP COLUMN options, DROP COLUMN total, DROP COLUMN done,
      DROP COLUMN failed, DROP COLUMN bytes, DROP COLUMN failure, DROP COLUMN created_at,
      DROP CONSTRAINT exports_format_check,
      ADD CONSTRAINT exports_format_check CHECK (format IN ('csv', 'ndjson', 'jsonl.gz'));
  `);
}
