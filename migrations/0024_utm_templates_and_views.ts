import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE utm_templates (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      name_key text COLLATE "C" NOT NULL,
      utm_source text,
      utm_medium text,
      utm_campaign text,
      utm_term text,
      utm_content text,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    CREATE UNIQUE INDEX utm_templates_name ON utm_templates (project_id, name_key);

    -- Filters and order of lists, under a name.
    CREATE TABLE views (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      -- Whose it is; NULL: all people of the workspace have it. It goes when the person leaves.
      user_id text COLLATE "C",
      list text NOT NULL CHECK (list IN ('links', 'qrcodes')),
      name text NOT NULL,
      name_key text COLLATE "C" NOT NULL,
      -- As it follows the ? of the list's address.
      query text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id),
      FOREIGN KEY (project_id, user_id) REFERENCES workspace_users ON DELETE CASCADE
    );
    CREATE UNIQUE INDEX views_name ON views (project_id, list, (coalesce(user_id, '')), name_key);
    CREATE INDEX views_user ON views (project_id, user_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE views, utm_templates');
}
