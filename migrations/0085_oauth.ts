import type { Knex } from 'knex';

/** Clients of the authorization server, and what people allowed them (OAuth 2.1). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE oauth_clients (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      redirect_uris text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      -- Time of the last token; null for a client that nobody has allowed yet.
      used_at timestamptz
    );
    CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL;

    CREATE TABLE oauth_grants (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      client_id text COLLATE "C" NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      scopes text[] NOT NULL,
      redirect_uri text NOT NULL,
      code_challenge text NOT NULL,
      -- SHA-256 of the authorization code.
      code_hash text COLLATE "C" NOT NULL UNIQUE,
      -- Expiry of the code; after its exchange, that of the refresh token.
      expires_at timestamptz NOT NULL,
      -- The key that the code was exchanged for.
      key_id text COLLATE "C" REFERENCES api_keys ON DELETE CASCADE,
      -- SHA-256 of the first half of all refresh tokens of the grant, and of the current one.
      family_hash text COLLATE "C" UNIQUE,
      refresh_hash text COLLATE "C",
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    CREATE INDEX oauth_grants_client ON oauth_grants (client_id);
    CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at);

    -- Id of the OAuth client that has the key, which may be pruned; null for other keys.
    ALTER TABLE api_keys ADD COLUMN client_id text COLLATE "C";
    -- Time until which the client can renew the key.
    ALTER TABLE api_keys ADD COLUMN renewable_until timestamptz`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys DROP COLUMN renewable_until;
    ALTER TABLE api_keys DROP COLUMN client_id;
    DROP TABLE oauth_grants;
    DROP TABLE oauth_clients`);
}
