import type { Knex } from 'knex';

/** Columns by which events are filtered, each with an index: two of them together find few rows among many. */
const FILTERED = ['country', 'city', 'device', 'browser', 'os', 'referer'];

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What of a text is kept in rollups and their keys, where a long one does not fit.
    CREATE FUNCTION rollup_value(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN CASE WHEN octet_length(value) <= 400 THEN value ELSE E'\\x01' || md5(value) END;

    -- The long texts themselves.
    CREATE TABLE long_values (
      project_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      value text NOT NULL,
      PRIMARY KEY (project_id, id)
    );

    ALTER TABLE events
      ADD COLUMN customer_id text COLLATE "C",
      -- Of a sale, in US cents.
      ADD COLUMN amount_cents bigint,
      -- Of a sale: payment processor, invoice, and what was converted at which rate.
      ADD COLUMN sale jsonb;
    CREATE INDEX events_id ON events (project_id, id);
    CREATE INDEX events_event ON events (project_id, event, occurred_at, id);
    CREATE INDEX events_customer ON events (project_id, customer_id, occurred_at)
      WHERE customer_id IS NOT NULL;
    CREATE INDEX events_page ON events (project_id, page_id, occurred_at) WHERE page_id IS NOT NULL;
    CREATE INDEX events_url ON events (project_id, md5(url));
    ${FILTERED.map((name) => `CREATE INDEX events_${name} ON events (project_id, ${name});`).join('\n')}

    -- Counts of a workspace by domain and time: quarters of an hour (every zone's hours and days are made of whole
    -- ones), days and months of UTC.
    DROP TABLE rollups;
    CREATE TABLE rollups (
      project_id text COLLATE "C" NOT NULL,
      event text NOT NULL,
      dimension text NOT NULL,
      step "char" NOT NULL CHECK (step IN ('q', 'd', 'm')),
      bucket timestamptz NOT NULL,
      domain text COLLATE "C" NOT NULL,
      value text COLLATE "C" NOT NULL,
      count bigint NOT NULL,
      amount_cents bigint NOT NULL,
      PRIMARY KEY (project_id, event, dimension, step, bucket, domain, value)
    ) WITH (fillfactor = 70);

    -- The same for single links and QR codes, of those that have many events.
    CREATE TABLE record_rollups (
      project_id text COLLATE "C" NOT NULL,
      record_id text COLLATE "C" NOT NULL,
      event text NOT NULL,
      dimension text NOT NULL,
      step "char" NOT NULL CHECK (step IN ('q', 'd', 'm')),
      bucket timestamptz NOT NULL,
      value text COLLATE "C" NOT NULL,
      count bigint NOT NULL,
      amount_cents bigint NOT NULL,
      PRIMARY KEY (project_id, record_id, event, dimension, step, bucket, value)
    ) WITH (fillfactor = 70);

    ALTER TABLE customers ADD COLUMN click_id text COLLATE "C";

    -- Makes an invoice count once: whoever has inserted its row records the sale.
    CREATE TABLE invoices (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      invoice_id text NOT NULL,
      customer_id text COLLATE "C" NOT NULL,
      -- Of what was sent.
      fingerprint text NOT NULL,
      -- Not jsonb: who asks again gets the same bytes.
      answer json,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, invoice_id)
    );

    -- The newest exchange rates: all of one file.
    CREATE TABLE rates (
      currency text PRIMARY KEY,
      -- Units for one unit of the base that the file has, as it writes them.
      per_base text NOT NULL,
      day date NOT NULL,
      source text NOT NULL,
      fetched_at timestamptz NOT NULL DEFAULT now()
    );

    ALTER TABLE workspaces
      -- NULL: what the plan keeps. 0: for ever.
      ADD COLUMN retention_days integer CHECK (retention_days >= 0),
      -- Events before were taken away by retention; their rollups stay.
      ADD COLUMN events_from timestamptz;

    -- Since when record_rollups have all events of the record; NULL: not at all.
    ALTER TABLE counters ADD COLUMN rolled_from timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE counters DROP COLUMN rolled_from;
    DROP TABLE record_rollups, rollups, long_values, invoices, rates;
    ALTER TABLE customers DROP COLUMN click_id;
    ALTER TABLE workspaces DROP COLUMN retention_days, DROP COLUMN events_from;
    CREATE TABLE rollups (
      project_id text COLLATE "C" NOT NULL,
      event text NOT NULL,
      dimension text NOT NULL,
      bucket timestamptz NOT NULL,
      value text COLLATE "C" NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (project_id, event, dimension, bucket, value)
    ) WITH (fillfactor = 70);
    DROP INDEX events_id, events_event, events_customer, events_page, events_url,
      ${FILTERED.map((name) => `events_${name}`).join(', ')};
    ALTER TABLE events DROP COLUMN customer_id, DROP COLUMN amount_cents, DROP COLUMN sale;
    DROP FUNCTION rollup_value(text);
  `);
}
