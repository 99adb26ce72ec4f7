import type { Knex } from 'knex';

/** What links and QR codes route a visit with besides the columns of their first migration. */
const ROUTING = `
  ADD COLUMN starts_at timestamptz,
  ADD COLUMN max_visits integer,
  ADD COLUMN redirect_status smallint NOT NULL DEFAULT 302,
  ADD COLUMN forward_query boolean NOT NULL DEFAULT true,
  -- Destinations that may be shown in a frame, found out when the record was written.
  ADD COLUMN frameable text[]`;

const ROUTING_DOWN = ['starts_at', 'max_visits', 'redirect_status', 'forward_query', 'frameable'];

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE links ${ROUTING}, ADD COLUMN rules jsonb;
    ALTER TABLE qrcodes ${ROUTING};

    ALTER TABLE domains
      ADD COLUMN target_frameable boolean NOT NULL DEFAULT false,
      ADD COLUMN not_found_url text;

    ALTER TABLE workspaces ADD COLUMN version bigint NOT NULL DEFAULT nextval('lookup_version');

    -- Pages that are shown before destinations.
    CREATE TABLE pages (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      -- What the redirect process shows (src/lookup/entry.ts).
      content jsonb NOT NULL,
      version bigint NOT NULL DEFAULT nextval('lookup_version'),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    CREATE INDEX links_page ON links (project_id, page_id) WHERE page_id IS NOT NULL;
    CREATE INDEX qrcodes_page ON qrcodes (project_id, page_id) WHERE page_id IS NOT NULL;

    ALTER TABLE events
      -- The page that was shown, or whose form was submitted.
      ADD COLUMN page_id text COLLATE "C",
      -- The click that a lead belongs to.
      ADD COLUMN click_id text COLLATE "C",
      ADD COLUMN event_name text,
      -- The answers of a form, or what the caller sent.
      ADD COLUMN metadata jsonb;
  `);
}

export async function down(knex: Knex): Promise<void> {
  const drop = ROUTING_DOWN.map((name) => `DROP COLUMN ${name}`).join(', ');
  await knex.raw(`
    ALTER TABLE events DROP COLUMN page_id, DROP COLUMN click_id, DROP COLUMN event_name, DROP COLUMN metadata;
    DROP INDEX links_page, qrcodes_page;
    DROP TABLE pages;
    ALTER TABLE workspaces DROP COLUMN version;
    ALTER TABLE domains DROP COLUMN target_frameable, DROP COLUMN not_found_url;
    ALTER TABLE qrcodes ${drop};
    ALTER TABLE links ${drop}, DROP COLUMN rules`);
}
