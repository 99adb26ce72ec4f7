import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Secrets of authenticator apps (RFC 6238).
    CREATE TABLE second_factors (
      user_id text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      -- Sealed.
      secret text NOT NULL,
      -- Time step of the last code: each is accepted once.
      last_step bigint NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE recovery_codes (
      user_id text COLLATE "C" NOT NULL REFERENCES second_factors ON DELETE CASCADE,
      -- SHA-256 of the person and the code.
      hash text COLLATE "C" NOT NULL,
      used_at timestamptz,
      PRIMARY KEY (user_id, hash)
    );

    ALTER TABLE sessions
      -- The second factor of the sign-in; NULL: none.
      ADD COLUMN second_factor text
        CHECK (second_factor IN ('totp', 'recovery', 'provider'));

    ALTER TABLE workspaces
      -- True: people need a session with a second factor.
      ADD COLUMN require_second_factor boolean NOT NULL DEFAULT false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE workspaces DROP COLUMN require_second_factor;
    ALTER TABLE sessions DROP COLUMN second_factor;
    DROP TABLE recovery_codes, second_factors;
  `);
}
