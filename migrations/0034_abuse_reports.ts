import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Reports of visitors about links and QR codes, which operators answer.
    CREATE TABLE abuse_reports (
      id text COLLATE "C" PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
      -- The link or QR code, which may be gone by now.
      record_id text COLLATE "C" NOT NULL,
      -- As they were when it was reported; url is null for a code that shows a page.
      short_link text NOT NULL,
      url text,
      category text NOT NULL CHECK (category IN ('phishing', 'malware', 'spam', 'illegal', 'other')),
      comment text NOT NULL,
      -- The reporter; cleared some time after the answer.
      email text,
      ip text,
      state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'resolved', 'dismissed')),
      decision text CHECK (decision IN ('block-host', 'block-link', 'dismiss')),
      host text,
      note text,
      answered_by text COLLATE "C",
      answered_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK ((state = 'open') = (answered_at IS NULL))
    );
    CREATE INDEX abuse_reports_by_state ON abuse_reports (state, id DESC);
    CREATE INDEX abuse_reports_by_record ON abuse_reports (project_id, record_id);
    CREATE INDEX abuse_reports_with_reporter ON abuse_reports (id) WHERE email IS NOT NULL OR ip IS NOT NULL;

    -- Links and QR codes that operators block. Their version is that of host_blocklist: both lists are one look-up entry.
    CREATE TABLE blocked_links (
      record_id text COLLATE "C" PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
      short_link text NOT NULL,
      -- For operators; visitors and owners don't see it.
      reason text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX blocked_links_by_project ON blocked_links (project_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE blocked_links, abuse_reports');
}
