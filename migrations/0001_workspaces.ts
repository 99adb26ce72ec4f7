import type { Knex } from 'knex';

// Ids are compared byte by byte ("C"): their text order is the order in which they were made.
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE workspaces (
      id text COLLATE "C" PRIMARY KEY,
      slug text NOT NULL UNIQUE,
      name text NOT NULL,
      plan text NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
      -- Length of the window in which a visitor counts once on a link; 0 counts every visit.
      click_dedupe_seconds integer NOT NULL DEFAULT 3600 CHECK (click_dedupe_seconds >= 0),
      keep_full_ip boolean NOT NULL DEFAULT false,
      -- NULL: what the plan allows. 0: no limit.
      requests_per_minute integer CHECK (requests_per_minute >= 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE users (
      id text COLLATE "C" PRIMARY KEY,
      email text NOT NULL,
      name text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE UNIQUE INDEX users_email_key ON users (lower(email));

    CREATE TABLE workspace_users (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      role text NOT NULL CHECK (role IN ('owner', 'member')),
      PRIMARY KEY (project_id, user_id)
    );

    CREATE TABLE api_keys (
      id text COLLATE "C" PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      name text NOT NULL,
      hash text COLLATE "C" NOT NULL UNIQUE,
      -- First characters of the key, by which its owner recognises it.
      hint text NOT NULL,
      scopes text[] NOT NULL,
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX api_keys_project ON api_keys (project_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE api_keys, workspace_users, users, workspaces');
}
