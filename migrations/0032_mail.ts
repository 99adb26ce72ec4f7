import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE workspace_users
      -- Alerts that the person gets by e-mail; NULL: those of their role.
      ADD COLUMN alerts text[],
      ADD COLUMN report text CHECK (report IN ('weekly', 'monthly')),
      ADD COLUMN report_timezone text,
      ADD COLUMN report_due_at timestamptz,
      ADD CONSTRAINT workspace_users_report_whole
        CHECK ((report IS NULL) = (report_due_at IS NULL) AND (report IS NULL) = (report_timezone IS NULL));
    CREATE INDEX workspace_users_report ON workspace_users (report_due_at) WHERE report_due_at IS NOT NULL;

    -- Events that wait to be told in one mail.
    CREATE TABLE pending_alerts (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      kind text NOT NULL,
      line text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX pending_alerts_kind ON pending_alerts (project_id, kind);

    -- E-mail that waits to be sent, and a record of what was sent, so that nothing is sent twice.
    CREATE TABLE mails (
      id text COLLATE "C" PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      -- NULL: somebody who is no member, such as a person who is invited.
      user_id text COLLATE "C",
      kind text NOT NULL,
      recipient text NOT NULL,
      -- Sealed; NULL once the mail was sent.
      content text,
      -- Refused: by the mail server, for good; its job is a dead letter.
      state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'refused')),
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK ((state = 'sent') = (content IS NULL)),
      FOREIGN KEY (project_id, user_id) REFERENCES workspace_users ON DELETE CASCADE
    );
    CREATE INDEX mails_pending ON mails (created_at) WHERE state = 'pending';
    CREATE INDEX mails_user ON mails (project_id, user_id);
    CREATE INDEX mails_recipient ON mails (project_id, lower(recipient));

    -- Links whose expiry was announced.
    CREATE TABLE expired_links (
      project_id text COLLATE "C" NOT NULL,
      link_id text COLLATE "C" NOT NULL,
      PRIMARY KEY (project_id, link_id),
      FOREIGN KEY (project_id, link_id) REFERENCES links ON DELETE CASCADE
    );
    CREATE INDEX links_expiry ON links (expires_at) WHERE expires_at IS NOT NULL;
    CREATE INDEX links_max_visits ON links (project_id, id) WHERE max_visits IS NOT NULL;
    -- What has expired before this version is no news.
    INSERT INTO expired_links
    SELECT l.project_id, l.id FROM links l LEFT JOIN counters c ON c.project_id = l.project_id AND c.record_id = l.id
     WHERE l.expires_at <= now() OR c.visits >= l.max_visits;

    -- The day on which a workspace was last told that it uses so much of a limit.
    CREATE TABLE limit_alerts (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      limit_name text NOT NULL,
      percent integer NOT NULL,
      reached_on date NOT NULL,
      PRIMARY KEY (project_id, limit_name, percent)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE limit_alerts, expired_links, mails, pending_alerts;
    DROP INDEX links_expiry, links_max_visits;
    ALTER TABLE workspace_users
      DROP CONSTRAINT workspace_users_report_whole,
      DROP COLUMN alerts, DROP COLUMN report, DROP COLUMN report_timezone, DROP COLUMN report_due_at;
  `);
}
