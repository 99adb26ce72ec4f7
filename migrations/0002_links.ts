import type { Knex } from 'knex';

/** Columns with which links and QR codes route a visit. */
const ROUTING = `
  user_id text COLLATE "C" NOT NULL,
  domain_id text COLLATE "C" NOT NULL REFERENCES domains,
  key text COLLATE "C" NOT NULL,
  url text,
  external_id text,
  archived boolean NOT NULL DEFAULT false,
  expires_at timestamptz,
  expired_url text,
  -- Sealed with AES-256-GCM; found through the keyed hash beside it.
  password text,
  password_fingerprint text,
  track_conversion boolean NOT NULL DEFAULT false,
  flexible boolean NOT NULL DEFAULT false,
  filled boolean NOT NULL DEFAULT false,
  do_index boolean NOT NULL DEFAULT false,
  public_stats boolean NOT NULL DEFAULT false,
  proxy boolean NOT NULL DEFAULT false,
  rewrite boolean NOT NULL DEFAULT false,
  title text,
  description text,
  image text,
  ios text,
  android text,
  geo jsonb,
  folder_id text COLLATE "C",
  webhook_ids text[],
  comments text,
  notification_token text,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  utm_term text,
  utm_content text,
  pre_redirection boolean NOT NULL DEFAULT false,
  is_form_mandatory boolean NOT NULL DEFAULT false,
  page_id text COLLATE "C",
  page_url text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- One counter for every version of everything that redirect processes look up.
    CREATE SEQUENCE lookup_version;

    CREATE TABLE domains (
      id text COLLATE "C" PRIMARY KEY,
      -- NULL: the service's own default short domain.
      project_id text COLLATE "C" REFERENCES workspaces ON DELETE CASCADE,
      slug text COLLATE "C" NOT NULL,
      verified boolean NOT NULL DEFAULT false,
      verification_token text NOT NULL,
      checked_at timestamptz,
      is_primary boolean NOT NULL DEFAULT false,
      archived boolean NOT NULL DEFAULT false,
      target text,
      type text NOT NULL DEFAULT 'redirect' CHECK (type IN ('redirect', 'rewrite')),
      placeholder text,
      expired_url text,
      version bigint NOT NULL DEFAULT nextval('lookup_version'),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (project_id, slug)
    );
    -- Several workspaces may ask for a name; only one can have proved that it is theirs.
    CREATE UNIQUE INDEX domains_verified_slug ON domains (slug) WHERE verified;
    CREATE UNIQUE INDEX domains_one_primary ON domains (project_id) WHERE is_primary;

    CREATE TABLE folders (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    CREATE UNIQUE INDEX folders_name ON folders (project_id, lower(name));

    CREATE TABLE tags (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      color text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    CREATE UNIQUE INDEX tags_name ON tags (project_id, lower(name));

    CREATE TABLE links (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      video text,
      ${ROUTING},
      PRIMARY KEY (project_id, id)
    );
    CREATE UNIQUE INDEX links_external_id ON links (project_id, external_id)
      WHERE external_id IS NOT NULL;

    CREATE TABLE link_tags (
      project_id text COLLATE "C" NOT NULL,
      link_id text COLLATE "C" NOT NULL,
      tag_id text COLLATE "C" NOT NULL,
      -- Place in the list that the caller sent.
      position smallint NOT NULL,
      PRIMARY KEY (project_id, link_id, tag_id),
      FOREIGN KEY (project_id, link_id) REFERENCES links ON DELETE CASCADE,
      FOREIGN KEY (project_id, tag_id) REFERENCES tags ON DELETE CASCADE
    );
    CREATE INDEX link_tags_tag ON link_tags (project_id, tag_id, link_id);

    CREATE TABLE qrcodes (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      type text NOT NULL,
      static boolean NOT NULL DEFAULT false,
      content jsonb NOT NULL,
      design jsonb NOT NULL,
      ${ROUTING},
      PRIMARY KEY (project_id, id)
    );
    CREATE UNIQUE INDEX qrcodes_external_id ON qrcodes (project_id, external_id)
      WHERE external_id IS NOT NULL;

    -- The one space of domain + key that links and QR codes share: a name has one row or none. Looked up by
    -- visitors, who know no workspace, so the domain leads its key.
    CREATE TABLE claims (
      domain_id text COLLATE "C" NOT NULL REFERENCES domains,
      key text COLLATE "C" NOT NULL,
      project_id text COLLATE "C" NOT NULL,
      record_id text COLLATE "C" NOT NULL,
      version bigint NOT NULL DEFAULT nextval('lookup_version'),
      -- What the redirect process needs to know (src/lookup/entry.ts).
      entry text NOT NULL,
      PRIMARY KEY (domain_id, key)
    );

    -- Apart from the wide rows of links and QR codes: counting must not rewrite those. A missing row is zeros.
    CREATE TABLE counters (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      record_id text COLLATE "C" NOT NULL,
      visits bigint NOT NULL DEFAULT 0,
      leads bigint NOT NULL DEFAULT 0,
      sales bigint NOT NULL DEFAULT 0,
      sale_amount_cents bigint NOT NULL DEFAULT 0,
      last_visit_at timestamptz,
      PRIMARY KEY (project_id, record_id)
    ) WITH (fillfactor = 70);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'DROP TABLE counters, claims, qrcodes, link_tags, links, tags, folders, domains; DROP SEQUENCE lookup_version',
  );
}
