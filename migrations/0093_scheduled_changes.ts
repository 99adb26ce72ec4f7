import type { Knex } from 'knex';

/** Changes of links and QR codes that are applied at a time. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE scheduled_changes (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      record_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('link', 'qrcode')),
      at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      -- NULL: the service itself.
      user_id text COLLATE "C",
      api_key_id text COLLATE "C",
      -- As in the data of the job of an immediate change, without its password.
      changes jsonb NOT NULL,
      -- Sealed.
      password text,
      -- Number of jobs that were queued to apply it, and the time of the next one.
      jobs smallint NOT NULL DEFAULT 0,
      queue_at timestamptz NOT NULL,
      -- Set once it could not be applied, with the code and the message of the error.
      failed_at timestamptz,
      error jsonb,
      PRIMARY KEY (project_id, record_id, id)
    );
    CREATE INDEX scheduled_changes_due ON scheduled_changes (queue_at) WHERE failed_at IS NULL;
    CREATE INDEX scheduled_changes_failed ON scheduled_changes (failed_at)
      WHERE failed_at IS NOT NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE scheduled_changes');
}
