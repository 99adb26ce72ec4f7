import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Mails about invitations of the last day, by which they are limited. Without references: what is withdrawn or deleted
    -- gives nothing back.
    CREATE TABLE invitation_mails (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL,
      invited_by text COLLATE "C" NOT NULL,
      -- SHA-256 of the mailbox.
      recipient text COLLATE "C" NOT NULL,
      sent_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX invitation_mails_project ON invitation_mails (project_id);
    CREATE INDEX invitation_mails_person ON invitation_mails (invited_by);
    CREATE INDEX invitation_mails_recipient ON invitation_mails (recipient);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE invitation_mails');
}
