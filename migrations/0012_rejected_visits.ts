import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Visits that the database refused because of what is in them: kept to be read and tried again.
    CREATE TABLE rejected_visits (
      -- SHA-256 of the visit, so that a visit has one row however often its batch runs.
      id text COLLATE "C" PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      -- JSON as text: jsonb refuses U+0000, which may be the reason why the visit is here.
      visit text NOT NULL,
      -- Of the event that the visit would have become, as far as that is known.
      event_id text COLLATE "C",
      -- SQLSTATE; NULL where no statement was run.
      code text,
      message text NOT NULL,
      attempts integer NOT NULL DEFAULT 1,
      rejected_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX rejected_visits_project ON rejected_visits (project_id);
    CREATE INDEX rejected_visits_time ON rejected_visits (rejected_at);

    -- Names of links and QR codes whose events retention has taken away, for those that are deleted since.
    CREATE TABLE record_names (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      record_id text COLLATE "C" NOT NULL,
      domain text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      url text NOT NULL,
      -- Time of the event that they were taken from: the newest one.
      named_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, record_id)
    );

    -- Rows of the default partition move into the new one: CREATE TABLE … PARTITION OF would refuse to leave them behind.
    -- ATTACH PARTITION lets reads and inserts of all other partitions go on.
    CREATE OR REPLACE FUNCTION ensure_events_partition(month date) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      first date := date_trunc('month', month);
      name text := 'events_' || to_char(first, 'YYYY_MM');
      since timestamptz := first::timestamp AT TIME ZONE 'UTC';
      until timestamptz := (first + interval '1 month')::timestamp AT TIME ZONE 'UTC';
    BEGIN
      IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
      -- The parent first, as everywhere. Whoever makes the same partition meanwhile waits here.
      LOCK TABLE ONLY events IN SHARE UPDATE EXCLUSIVE MODE;
      IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
      LOCK TABLE events_default IN ACCESS EXCLUSIVE MODE;
      EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
      EXECUTE format(
        'WITH moved AS (DELETE FROM events_default WHERE occurred_at >= %L AND occurred_at < %L RETURNING *)
         INSERT INTO %I SELECT * FROM moved', since, until, name);
      EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, since, until);
    END $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE rejected_visits, record_names;
    CREATE OR REPLACE FUNCTION ensure_events_partition(month date) RETURNS void LANGUAGE plpgsql AS $$
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
  `);
}
