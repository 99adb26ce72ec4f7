import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Blocks of events: the events of a workspace in a span of time, by columns, from which questions with filters are
    -- answered. The format of bytes is described in src/events/store/postgres/block-codes.ts.
    CREATE TABLE event_blocks (
      project_id text COLLATE "C" NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      from_at timestamptz NOT NULL,
      to_at timestamptz NOT NULL,
      -- Number of events; NULL: the block is empty, and its events are read instead.
      size integer,
      -- The transaction that began to build it.
      claim bigint,
      PRIMARY KEY (project_id, id)
    );
    CREATE INDEX event_blocks_time ON event_blocks (project_id, to_at);
    CREATE INDEX event_blocks_empty ON event_blocks (project_id) WHERE size IS NULL;

    CREATE TABLE event_block_columns (
      project_id text COLLATE "C" NOT NULL,
      block_id bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      dictionary bytea NOT NULL,
      codes bytea NOT NULL,
      PRIMARY KEY (project_id, block_id, name),
      FOREIGN KEY (project_id, block_id) REFERENCES event_blocks ON DELETE CASCADE
    );
    -- Compressed already.
    ALTER TABLE event_block_columns ALTER COLUMN dictionary SET STORAGE EXTERNAL,
      ALTER COLUMN codes SET STORAGE EXTERNAL;

    -- A job divides and builds them.
    INSERT INTO event_blocks (project_id, from_at, to_at)
    SELECT id, '-infinity', now() FROM workspaces w WHERE EXISTS (SELECT 1 FROM events WHERE project_id = w.id);

    -- Its function stays, which API processes of the previous version call until they are stopped.
    DROP INDEX events_terms`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX events_terms ON events USING gin (event_terms(
      project_id, domain, via, continent, country, city, device, browser, os, referer, url));
    DROP TABLE event_block_columns, event_blocks`);
}
