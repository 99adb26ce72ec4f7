import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- One row for each write of a workspace, added in the transaction of its command. Names of fields, never values.
    CREATE TABLE audit_log (
      project_id text COLLATE "C" NOT NULL,
      -- In the order of the writes.
      id text COLLATE "C" NOT NULL,
      at timestamptz NOT NULL DEFAULT now(),
      action text NOT NULL,
      target_kind text NOT NULL,
      -- NULL for a write of several records: then there is their number.
      target_id text COLLATE "C",
      target_count integer,
      -- NULL: the operator, by the command line.
      user_id text COLLATE "C",
      api_key_id text COLLATE "C",
      fields text[],
      PRIMARY KEY (project_id, id)
    );
    CREATE INDEX audit_log_target ON audit_log (project_id, target_id, id);
    -- For pruning alone: rows are added in the order of their time.
    CREATE INDEX audit_log_at ON audit_log USING brin (at);

    CREATE TABLE invitations (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      email text NOT NULL,
      role text NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
      -- SHA-256 of the token.
      hash text COLLATE "C" NOT NULL UNIQUE,
      invited_by text COLLATE "C" REFERENCES users ON DELETE SET NULL,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    CREATE UNIQUE INDEX invitations_email ON invitations (project_id, lower(email));

    ALTER TABLE workspace_users ADD COLUMN joined_at timestamptz NOT NULL DEFAULT now();
    UPDATE workspace_users m SET joined_at = greatest(w.created_at, u.created_at)
      FROM workspaces w, users u WHERE w.id = m.project_id AND u.id = m.user_id;

    ALTER TABLE workspaces
      -- What pages for visitors show: {id, width, height} of a kept image, and #rrggbb.
      ADD COLUMN logo jsonb,
      ADD COLUMN brand_color text COLLATE "C" CHECK (brand_color ~ '^#[0-9a-f]{6}$');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE workspaces DROP COLUMN logo, DROP COLUMN brand_color;
    ALTER TABLE workspace_users DROP COLUMN joined_at;
    DROP TABLE invitations, audit_log;
  `);
}
