import type { Knex } from 'knex';

/*
 * Events that are kept in ClickHouse wait in `event_outbox` until they are moved. The tables beside it say which rows of
 * ClickHouse count (`src/events/store/clickhouse/pending.ts`). All are empty where EVENTS_URL is not set.
 */

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE event_outbox (LIKE events INCLUDING DEFAULTS, seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
    CREATE INDEX event_outbox_workspace ON event_outbox (project_id, occurred_at);

    CREATE TABLE event_outbox_state (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      last_batch bigint NOT NULL DEFAULT 0
    );
    INSERT INTO event_outbox_state DEFAULT VALUES;

    CREATE TABLE event_batches (
      id bigint PRIMARY KEY,
      begun_at timestamptz NOT NULL DEFAULT now(),
      is_failed boolean NOT NULL DEFAULT false
    );

    CREATE TABLE event_retention (
      project_id text COLLATE "C" PRIMARY KEY,
      kept_until timestamptz NOT NULL DEFAULT 'epoch',
      kept_batch bigint NOT NULL DEFAULT 0,
      is_deleted boolean NOT NULL DEFAULT true
    );

    CREATE TABLE event_erasures (
      project_id text COLLATE "C" NOT NULL,
      record_id text COLLATE "C" NOT NULL,
      batch bigint NOT NULL,
      PRIMARY KEY (project_id, record_id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'DROP TABLE event_erasures, event_retention, event_batches, event_outbox_state, event_outbox',
  );
}
