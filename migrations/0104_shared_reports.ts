import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE shared_reports (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      -- The query string of GET /analytics, without groupBy.
      query text NOT NULL,
      groups text[] NOT NULL,
      -- The token of the URL, sealed, and its SHA-256.
      token text NOT NULL,
      token_hash text COLLATE "C" NOT NULL UNIQUE,
      password_hash text,
      expires_at timestamptz,
      -- Origins whose pages may show it in a frame.
      embed_origins text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE shared_reports');
}
