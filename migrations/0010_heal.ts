import type { Knex } from 'knex';

/**
 * The migrations 0008 and 0009 were changed after they had landed. Where one was applied before, what was added later
 * is missing: weeks of rollups and the table `event_texts`, and the index `webhooks_id`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$
    BEGIN
      IF to_regclass('event_texts') IS NULL THEN
        ALTER TABLE rollups DROP CONSTRAINT rollups_step_check,
          ADD CONSTRAINT rollups_step_check CHECK (step IN ('q', 'd', 'w', 'm'));
        ALTER TABLE record_rollups DROP CONSTRAINT record_rollups_step_check,
          ADD CONSTRAINT record_rollups_step_check CHECK (step IN ('q', 'd', 'w', 'm'));
        CREATE TABLE event_texts (
          project_id text COLLATE "C" NOT NULL,
          kind text NOT NULL,
          value text COLLATE "C" NOT NULL,
          PRIMARY KEY (project_id, kind, value)
        );
        INSERT INTO event_texts
          SELECT DISTINCT project_id, dimension, value FROM rollups
           WHERE dimension IN ('url', 'referer') AND step = 'd';
        -- Months were summed up without their weeks: both are summed up again, from their days.
        UPDATE workspaces SET summed_until = '-infinity';
      END IF;
    END $$;
    CREATE UNIQUE INDEX IF NOT EXISTS webhooks_id ON webhooks (id);
  `);
}

/** What was missing belongs to 0008 and 0009, which take it away. */
export async function down(): Promise<void> {}
