import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE users
      -- Time at which it was proven that the account belongs to whoever has its address; NULL: not yet.
      ADD COLUMN email_verified_at timestamptz;

    -- Accounts of which the data tell that the operator or the provider has vouched for the address. Accounts that were
    -- made with the token of an invitation have had a password from their beginning: its sender may have made them.
    UPDATE users u SET email_verified_at = now()
     WHERE u.is_operator OR u.password_hash IS NULL
        OR EXISTS (SELECT FROM user_identities i WHERE i.user_id = u.id)
        -- Made by the command line, together with a workspace or in one.
        OR EXISTS (SELECT FROM workspace_users m JOIN workspaces w ON w.id = m.project_id
                    WHERE m.user_id = u.id AND w.created_at = u.created_at)
        OR EXISTS (SELECT FROM audit_log a
                    WHERE a.action = 'member.create' AND a.target_id = u.id AND a.user_id IS NULL);

    -- A provider's account was linked to an account that had a password: whoever set it may be somebody else. The person
    -- signs in through the provider, and may set a new one.
    WITH linked_later AS (
      UPDATE users u SET password_hash = NULL, password_version = password_version + 1
       WHERE u.password_hash IS NOT NULL
         AND EXISTS (SELECT FROM user_identities i
                      WHERE i.user_id = u.id AND i.created_at > u.created_at)
      RETURNING u.id
    ), ended AS (
      UPDATE sessions s SET ended_at = now() FROM linked_later l
       WHERE s.user_id = l.id AND s.ended_at IS NULL
    )
    DELETE FROM sign_in_links s USING linked_later l WHERE s.user_id = l.id;

    ALTER TABLE users
      ADD CONSTRAINT users_operator_verified
        CHECK (NOT is_operator OR email_verified_at IS NOT NULL);

    ALTER TABLE invitations
      -- The token went to the address by e-mail alone: whoever has it reads the mail of the address.
      ADD COLUMN is_mailed boolean NOT NULL DEFAULT false;
    CREATE INDEX invitations_recipient ON invitations (lower(email));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX invitations_recipient;
    ALTER TABLE invitations DROP COLUMN is_mailed;
    ALTER TABLE users DROP CONSTRAINT users_operator_verified, DROP COLUMN email_verified_at;
  `);
}
