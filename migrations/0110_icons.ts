import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Icons of the sites that links and QR codes of a workspace go to.
    CREATE TABLE icons (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      -- Scheme, host and port.
      origin text COLLATE "C" NOT NULL,
      -- NULL: the site has none that can be read.
      png bytea,
      read_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, origin)
    );
    CREATE INDEX icons_read_at ON icons (read_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE icons');
}
