import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What the last check of a link's destination found. Beside links, whose rows only change when their owners write.
    CREATE TABLE destination_checks (
      project_id text COLLATE "C" NOT NULL,
      link_id text COLLATE "C" NOT NULL,
      -- The destination that was checked: a row whose link has another one by now says nothing about it.
      url text NOT NULL,
      host text COLLATE "C" NOT NULL,
      -- NULL: not checked yet.
      state text CHECK (state IN ('ok', 'redirecting', 'unclear', 'failing', 'broken')),
      status smallint,
      error text,
      leads_to text,
      -- Failures in a row.
      failures integer NOT NULL DEFAULT 0,
      checked_at timestamptz,
      -- Since when the link has been reported as broken; kept when the destination changes, until a check succeeds.
      broken_since timestamptz,
      next_check_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, link_id),
      FOREIGN KEY (project_id, link_id) REFERENCES links (project_id, id) ON DELETE CASCADE
    );
    CREATE INDEX destination_checks_due ON destination_checks (next_check_at);
    CREATE INDEX destination_checks_host ON destination_checks (host, next_check_at);

    -- How far the walk over all links has come that looks for new and changed destinations, and until when the
    -- process that checks them may go on. One row.
    CREATE TABLE destination_walk (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      project_id text COLLATE "C" NOT NULL DEFAULT '',
      link_id text COLLATE "C" NOT NULL DEFAULT '',
      held_until timestamptz NOT NULL DEFAULT '-infinity'
    );
    INSERT INTO destination_walk DEFAULT VALUES;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE destination_walk, destination_checks');
}
