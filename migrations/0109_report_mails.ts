import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE shared_reports
      ADD COLUMN schedule jsonb,
      -- Time of the next mails.
      ADD COLUMN mail_due_at timestamptz,
      ADD CONSTRAINT shared_reports_schedule_whole
        CHECK ((schedule IS NULL) = (mail_due_at IS NULL));
    CREATE INDEX shared_reports_mail ON shared_reports (mail_due_at) WHERE mail_due_at IS NOT NULL;

    -- People who get a report by email once they have confirmed it.
    CREATE TABLE report_recipients (
      project_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      report_id text COLLATE "C" NOT NULL,
      email text NOT NULL,
      language text NOT NULL,
      -- SHA-256 of the token in the newest confirmation mail.
      token_hash text COLLATE "C" UNIQUE,
      token_expires_at timestamptz,
      confirmed_at timestamptz,
      unsubscribed_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id),
      CHECK ((token_hash IS NULL) = (token_expires_at IS NULL)),
      FOREIGN KEY (project_id, report_id) REFERENCES shared_reports ON DELETE CASCADE
    );
    CREATE UNIQUE INDEX report_recipients_email
      ON report_recipients (project_id, report_id, lower(email));

    -- A mail that waits is deleted with its recipient.
    ALTER TABLE mails
      ADD COLUMN report_recipient_id text COLLATE "C",
      ADD CONSTRAINT mails_report_recipient_fkey FOREIGN KEY (project_id, report_recipient_id)
        REFERENCES report_recipients ON DELETE CASCADE;
    CREATE INDEX mails_report_recipient ON mails (project_id, report_recipient_id)
      WHERE report_recipient_id IS NOT NULL;

    -- Confirmation mails of the last month, by which they are limited. Without references: what is
    -- deleted gives nothing back.
    CREATE TABLE confirmation_mails (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL,
      -- SHA-256 of the mailbox.
      recipient text COLLATE "C" NOT NULL,
      sent_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX confirmation_mails_project ON confirmation_mails (project_id, sent_at);
    CREATE INDEX confirmation_mails_recipient ON confirmation_mails (recipient);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE confirmation_mails;
    ALTER TABLE mails DROP COLUMN report_recipient_id;
    DROP TABLE report_recipients;
    ALTER TABLE shared_reports DROP COLUMN schedule, DROP COLUMN mail_due_at;
  `);
}
