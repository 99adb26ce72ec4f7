import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // True: a page for visitors shows the image, such as the photo of a contact.
  await knex.raw('ALTER TABLE images ADD COLUMN is_public boolean NOT NULL DEFAULT false');
  await knex.raw(`
    CREATE TABLE files (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      type text COLLATE "C" NOT NULL,
      bytes bytea NOT NULL,
      -- Of the last time that somebody asked to keep it.
      kept_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    -- PDFs and images are compressed already.
    ALTER TABLE files ALTER COLUMN bytes SET STORAGE EXTERNAL`);
  // Name of the workspace on pages for visitors; null: they show none.
  await knex.raw('ALTER TABLE workspaces ADD COLUMN brand_name text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE workspaces DROP COLUMN brand_name');
  await knex.raw('DROP TABLE files');
  await knex.raw('ALTER TABLE images DROP COLUMN is_public');
}
