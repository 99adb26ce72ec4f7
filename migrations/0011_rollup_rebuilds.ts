import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Workspaces whose rollups are missing or wrong. A migration that empties or changes rollups, texts or long values
    -- marks the workspaces concerned here, and is done: a job rebuilds them in the background, month by month, and
    -- questions are answered from the events until then (src/events/rollup-rebuilds.ts):
    --
    --   INSERT INTO rollup_rebuilds (project_id) SELECT id FROM workspaces
    --     ON CONFLICT (project_id) DO UPDATE SET requested_at = now(), rebuilt_until = NULL;
    CREATE TABLE rollup_rebuilds (
      project_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
      requested_at timestamptz NOT NULL DEFAULT now(),
      -- Months before are rebuilt; NULL: none is.
      rebuilt_until timestamptz
    );

    -- Workspaces with events that are older than their first rollup: an earlier migration emptied these.
    INSERT INTO rollup_rebuilds (project_id)
    SELECT w.id FROM workspaces w
     WHERE EXISTS (
       SELECT 1 FROM unnest('{click,scan,view,lead,sale}'::text[]) AS kind(event)
        CROSS JOIN LATERAL (SELECT min(e.occurred_at) AS first FROM events e
                             WHERE e.project_id = w.id AND e.event = kind.event) AS stored
        CROSS JOIN LATERAL (SELECT min(r.bucket) AS first FROM rollups r
                             WHERE r.project_id = w.id AND r.event = kind.event AND r.dimension = 'all'
                               AND r.step = 'q') AS counted
        WHERE stored.first < coalesce(counted.first, 'infinity'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE rollup_rebuilds');
}
