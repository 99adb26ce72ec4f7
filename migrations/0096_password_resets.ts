import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A mail about an account belongs to no workspace.
    ALTER TABLE mails ALTER COLUMN project_id DROP NOT NULL;

    CREATE TABLE password_resets (
      -- SHA-256 of the token.
      hash text COLLATE "C" PRIMARY KEY,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      -- The job that created it, which may run twice.
      job_id text COLLATE "C" NOT NULL UNIQUE,
      -- The password that it replaces: a change of the password ends it.
      password_version integer NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      -- The job that set the new password: it is valid once.
      completed_by text COLLATE "C"
    );
    CREATE INDEX password_resets_user ON password_resets (user_id, created_at);
    CREATE INDEX password_resets_expiry ON password_resets (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE password_resets;
    DELETE FROM mails WHERE project_id IS NULL;
    ALTER TABLE mails ALTER COLUMN project_id SET NOT NULL;
  `);
}
