import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Public keys with which people sign in (Web Authentication).
    CREATE TABLE passkeys (
      id text COLLATE "C" PRIMARY KEY,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      name text NOT NULL,
      -- Id by which the authenticator knows it, in base64url.
      credential_id text COLLATE "C" NOT NULL UNIQUE,
      -- COSE key (RFC 9052).
      public_key bytea NOT NULL,
      -- Number of signatures at the last use; 0 if the authenticator does not count.
      sign_count bigint NOT NULL,
      -- Ways in which a browser reaches the authenticator, such as 'usb'.
      transports text[] NOT NULL,
      -- True if its owner has it on several devices.
      is_synced boolean NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz
    );
    CREATE INDEX passkeys_user ON passkeys (user_id);

    -- Challenges that a passkey has signed: each is accepted once.
    CREATE TABLE used_challenges (
      -- SHA-256 of the challenge.
      hash text COLLATE "C" PRIMARY KEY,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX used_challenges_expiry ON used_challenges (expires_at);

    ALTER TABLE sessions
      -- The passkey of the sign-in, or one added in the session; NULL: none.
      ADD COLUMN passkey_id text COLLATE "C",
      DROP CONSTRAINT sessions_method_check,
      ADD CONSTRAINT sessions_method_check
        CHECK (method IN ('password', 'link', 'oidc', 'invitation', 'passkey')),
      DROP CONSTRAINT sessions_second_factor_check,
      ADD CONSTRAINT sessions_second_factor_check
        CHECK (second_factor IN ('totp', 'recovery', 'provider', 'passkey'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM sessions WHERE method = 'passkey';
    UPDATE sessions SET second_factor = NULL WHERE second_factor = 'passkey';
    ALTER TABLE sessions
      DROP CONSTRAINT sessions_second_factor_check,
      ADD CONSTRAINT sessions_second_factor_check
        CHECK (second_factor IN ('totp', 'recovery', 'provider')),
      DROP CONSTRAINT sessions_method_check,
      ADD CONSTRAINT sessions_method_check
        CHECK (method IN ('password', 'link', 'oidc', 'invitation')),
      DROP COLUMN passkey_id;
    DROP TABLE used_challenges, passkeys;
  `);
}
