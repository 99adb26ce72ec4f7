import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE exports DROP CONSTRAINT exports_format_check,
      ADD CONSTRAINT exports_format_check CHECK (format IN ('csv', 'ndjson', 'jsonl.gz'));
    -- A part has either; that of a workspace is compressed.
    ALTER TABLE export_parts ADD COLUMN bytes bytea, ALTER COLUMN text DROP NOT NULL;
    ALTER TABLE export_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM exports WHERE format = 'jsonl.gz';
    ALTER TABLE export_parts DROP COLUMN bytes, ALTER COLUMN text SET NOT NULL;
    ALTER TABLE exports DROP CONSTRAINT exports_format_check,
      ADD CONSTRAINT exports_format_check CHECK (format IN ('csv', 'ndjson'));
  `);
}
