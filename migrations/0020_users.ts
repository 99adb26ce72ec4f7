import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE users
      -- Argon2id; NULL for a person without a password.
      ADD COLUMN password_hash text,
      -- Grows with each new password: a sign-in with an earlier one that is under way is refused.
      ADD COLUMN password_version integer NOT NULL DEFAULT 0,
      ADD COLUMN is_operator boolean NOT NULL DEFAULT false,
      ADD COLUMN disabled_at timestamptz,
      ADD COLUMN last_sign_in_at timestamptz;

    ALTER TABLE workspace_users DROP CONSTRAINT workspace_users_role_check;
    ALTER TABLE workspace_users
      ADD CONSTRAINT workspace_users_role_check CHECK (role IN ('owner', 'member', 'viewer'));
    CREATE INDEX workspace_users_user ON workspace_users (user_id);

    -- Who works with the demo workspace of npm start operates the installation.
    UPDATE users SET is_operator = true
     WHERE id IN (SELECT m.user_id FROM workspace_users m JOIN workspaces w ON w.id = m.project_id
                   WHERE w.slug = 'demo' AND m.role = 'owner');

    CREATE TABLE sessions (
      id text COLLATE "C" PRIMARY KEY,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      -- SHA-256 of the token.
      hash text COLLATE "C" NOT NULL UNIQUE,
      method text NOT NULL CHECK (method IN ('password', 'link', 'oidc', 'invitation')),
      user_agent text NOT NULL,
      network text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      -- The row stays for a while, so that a job that runs again does not begin the session anew.
      ended_at timestamptz
    );
    CREATE INDEX sessions_user ON sessions (user_id);
    CREATE INDEX sessions_expiry ON sessions (expires_at);

    CREATE TABLE sign_in_links (
      -- SHA-256 of the token.
      hash text COLLATE "C" PRIMARY KEY,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      -- Valid only until any person has signed in.
      is_first boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      -- The session that it began: it is valid once.
      session_id text COLLATE "C"
    );
    CREATE INDEX sign_in_links_user ON sign_in_links (user_id);

    -- Accounts of people at OpenID Connect providers.
    CREATE TABLE user_identities (
      issuer text NOT NULL,
      subject text NOT NULL,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (issuer, subject)
    );
    CREATE INDEX user_identities_user ON user_identities (user_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE user_identities, sign_in_links, sessions;
    DROP INDEX workspace_users_user;
    -- Earlier versions know no role that may only read.
    DELETE FROM workspace_users WHERE role = 'viewer';
    ALTER TABLE workspace_users DROP CONSTRAINT workspace_users_role_check;
    ALTER TABLE workspace_users
      ADD CONSTRAINT workspace_users_role_check CHECK (role IN ('owner', 'member'));
    ALTER TABLE users
      DROP COLUMN password_hash, DROP COLUMN password_version, DROP COLUMN is_operator,
      DROP COLUMN disabled_at, DROP COLUMN last_sign_in_at;
  `);
}
