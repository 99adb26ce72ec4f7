import type { Knex } from 'knex';

/** Fonts of workspaces, and the QR codes that use them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE fonts (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      name_key text COLLATE "C" NOT NULL,
      characters integer NOT NULL,
      -- Outlines of the characters as JSON.
      outlines text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      -- A deleted font that codes use remains.
      deleted_at timestamptz,
      PRIMARY KEY (project_id, id)
    );
    CREATE UNIQUE INDEX fonts_name ON fonts (project_id, name_key) WHERE deleted_at IS NULL;
    CREATE INDEX qrcodes_font
      ON qrcodes (project_id, (design -> 'frameTextStyles' ->> 'family'))
      WHERE design -> 'frameLetters' IS NOT NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX qrcodes_font;
    DROP TABLE fonts`);
}
