import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhooks
      -- Sealed; signs too until then, so that receivers have time to take the new one.
      ADD COLUMN previous_secret text,
      ADD COLUMN previous_secret_until timestamptz,
      ADD COLUMN disabled_reason text,
      -- Failures in a row, and since when there is no success.
      ADD COLUMN failures integer NOT NULL DEFAULT 0,
      ADD COLUMN failing_since timestamptz,
      -- The circuit is open: nothing is sent before.
      ADD COLUMN paused_until timestamptz;
    CREATE UNIQUE INDEX webhooks_id ON webhooks (id);

    -- What webhooks are told, each row for one webhook: written in the transaction of what it tells of.
    CREATE TABLE webhook_deliveries (
      project_id text COLLATE "C" NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      -- The link or QR code that it is about, and its place among all that is told of that one.
      record_id text COLLATE "C",
      sequence bigint,
      customer_id text COLLATE "C",
      payload text NOT NULL,
      state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'held')),
      attempts integer NOT NULL DEFAULT 0,
      -- Of those, since somebody last asked for it to be sent.
      tries integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, webhook_id, id),
      FOREIGN KEY (project_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
    ) WITH (fillfactor = 80);
    CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at, id)
      WHERE state = 'pending';
    CREATE INDEX webhook_deliveries_record ON webhook_deliveries (project_id, record_id)
      WHERE record_id IS NOT NULL;
    CREATE INDEX webhook_deliveries_customer ON webhook_deliveries (project_id, customer_id)
      WHERE customer_id IS NOT NULL;
    CREATE INDEX webhook_deliveries_created ON webhook_deliveries USING brin (created_at);

    CREATE TABLE webhook_attempts (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      delivery_id text COLLATE "C" NOT NULL,
      url text NOT NULL,
      started_at timestamptz NOT NULL,
      duration_ms integer NOT NULL,
      -- NULL: there was no answer; then the error says why.
      status integer,
      error text,
      response_headers jsonb,
      response_body text,
      FOREIGN KEY (project_id, webhook_id, delivery_id) REFERENCES webhook_deliveries ON DELETE CASCADE
    );
    CREATE INDEX webhook_attempts_delivery ON webhook_attempts (project_id, webhook_id, delivery_id, id);

    -- The last number that was given to something told of a record.
    CREATE TABLE webhook_sequences (
      project_id text COLLATE "C" NOT NULL,
      record_id text COLLATE "C" NOT NULL,
      last bigint NOT NULL,
      used_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, record_id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX webhooks_id;
    DROP TABLE webhook_attempts, webhook_deliveries, webhook_sequences;
    ALTER TABLE webhooks DROP COLUMN previous_secret, DROP COLUMN previous_secret_until,
      DROP COLUMN disabled_reason, DROP COLUMN failures, DROP COLUMN failing_since, DROP COLUMN paused_until;
  `);
}
