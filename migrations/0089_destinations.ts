import type { Knex } from 'knex';

/** Destinations, the events that wait to be sent to them, and the wish for privacy of visitors. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE destinations (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      type text NOT NULL,
      name text NOT NULL,
      settings jsonb NOT NULL,
      -- Sealed with AES-256-GCM.
      secret text,
      filter jsonb,
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'disabled')),
      failures integer NOT NULL DEFAULT 0,
      failing_since timestamptz,
      retry_at timestamptz,
      error text,
      last_sent_at timestamptz,
      refused bigint NOT NULL DEFAULT 0,
      backfill jsonb,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );

    -- Without a reference to the destination, whose deletion must neither wait for visits that are
    -- being stored nor delete millions of rows at once.
    CREATE TABLE destination_events (
      project_id text COLLATE "C" NOT NULL,
      destination_id text COLLATE "C" NOT NULL,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      record_id text COLLATE "C",
      customer_id text COLLATE "C",
      event json NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, destination_id, seq)
    );
    CREATE INDEX destination_events_record ON destination_events (project_id, record_id);
    CREATE INDEX destination_events_customer ON destination_events (project_id, customer_id)
      WHERE customer_id IS NOT NULL`);
  for (const table of ['events', 'event_outbox']) {
    // Nobody knows whether the visitors of earlier events wanted privacy.
    await knex.raw(`ALTER TABLE ${table} ADD COLUMN privacy text DEFAULT 'unknown'`);
    await knex.raw(`ALTER TABLE ${table} ALTER COLUMN privacy DROP DEFAULT`);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE event_outbox DROP COLUMN privacy;
    ALTER TABLE events DROP COLUMN privacy;
    DROP TABLE destination_events;
    DROP TABLE destinations`);
}
