import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE customers (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      external_id text NOT NULL,
      name text,
      email text,
      avatar text,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id),
      UNIQUE (project_id, external_id)
    );

    CREATE TABLE webhooks (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      url text NOT NULL,
      -- Sealed with AES-256-GCM: needed in plain to sign.
      secret text NOT NULL,
      kinds text[] NOT NULL,
      disabled_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );

    -- Append-only. One partition a month; the default one catches what no other holds, so that a visit
    -- with an odd date is kept rather than refused.
    CREATE TABLE events (
      project_id text COLLATE "C" NOT NULL,
      occurred_at timestamptz NOT NULL,
      id text COLLATE "C" NOT NULL,
      event text NOT NULL CHECK (event IN ('click', 'scan', 'view', 'lead', 'sale')),
      link_id text COLLATE "C",
      domain text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      url text NOT NULL,
      continent text NOT NULL,
      country text NOT NULL,
      region text NOT NULL,
      city text NOT NULL,
      device text NOT NULL,
      browser text NOT NULL,
      os text NOT NULL,
      referer text NOT NULL,
      referer_url text NOT NULL,
      via text NOT NULL,
      ip text NOT NULL,
      PRIMARY KEY (project_id, occurred_at, id)
    ) PARTITION BY RANGE (occurred_at);
    CREATE INDEX events_link ON events (project_id, link_id, occurred_at);
    CREATE TABLE events_default PARTITION OF events DEFAULT;

    CREATE FUNCTION ensure_events_partition(month date) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      first date := date_trunc('month', month);
    BEGIN
      EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
        'events_' || to_char(first, 'YYYY_MM'),
        first::timestamp AT TIME ZONE 'UTC',
        (first + interval '1 month')::timestamp AT TIME ZONE 'UTC'
      );
    END $$;
    SELECT ensure_events_partition((current_date + make_interval(months => ahead))::date)
      FROM generate_series(-1, 3) AS ahead;

    -- Makes a visit count once, however often its job runs; pruned when no repeat can come any more.
    CREATE TABLE visit_guards (
      id text COLLATE "C" PRIMARY KEY,
      expires_at timestamptz NOT NULL
    );

    -- Counts of a workspace by quarter of an hour (every zone's hours and days are made of whole ones).
    CREATE TABLE rollups (
      project_id text COLLATE "C" NOT NULL,
      event text NOT NULL,
      dimension text NOT NULL,
      bucket timestamptz NOT NULL,
      value text COLLATE "C" NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (project_id, event, dimension, bucket, value)
    ) WITH (fillfactor = 70);

    -- What became of accepted jobs. Written in the transaction of the job's own effects, so that a job
    -- that runs again finds that it is done.
    CREATE TABLE jobs (
      project_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      -- {result} or {refused: {code, message}}; NULL when it has expired.
      outcome text,
      -- Names in the look-up cache that the job changed, with versions.
      changes text,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    -- Results are written once and read once or never: squeezing them costs more than it saves.
    ALTER TABLE jobs ALTER COLUMN outcome SET STORAGE EXTERNAL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE jobs, rollups, visit_guards, events, webhooks, customers;
    DROP FUNCTION ensure_events_partition(date)`);
}
