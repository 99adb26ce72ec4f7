import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Large exports, written by a worker and read by whoever has their address; gone after a day.
    CREATE TABLE exports (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL PRIMARY KEY,
      name text NOT NULL,
      format text NOT NULL CHECK (format IN ('csv', 'ndjson')),
      expires_at timestamptz NOT NULL
    );
    CREATE TABLE export_parts (
      export_id text COLLATE "C" NOT NULL REFERENCES exports ON DELETE CASCADE,
      position integer NOT NULL,
      text text NOT NULL,
      PRIMARY KEY (export_id, position)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE export_parts, exports');
}
