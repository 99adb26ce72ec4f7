import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Images drawn in the middle of codes, fetched once; the id is the SHA-256 of the PNG.
    CREATE TABLE images (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      png bytea NOT NULL,
      width integer NOT NULL,
      height integer NOT NULL,
      -- Of the last time that somebody asked to keep it.
      kept_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    -- PNG is squeezed already.
    ALTER TABLE images ALTER COLUMN png SET STORAGE EXTERNAL;

    CREATE TABLE templates (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      design jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );

    ALTER TABLE qrcodes
      ADD COLUMN use_display_page boolean NOT NULL DEFAULT true,
      ADD COLUMN rules jsonb,
      ADD COLUMN template_id text COLLATE "C";

    CREATE TABLE qrcode_tags (
      project_id text COLLATE "C" NOT NULL,
      qrcode_id text COLLATE "C" NOT NULL,
      tag_id text COLLATE "C" NOT NULL,
      -- Place in the list that the caller sent.
      position smallint NOT NULL,
      PRIMARY KEY (project_id, qrcode_id, tag_id),
      FOREIGN KEY (project_id, qrcode_id) REFERENCES qrcodes ON DELETE CASCADE,
      FOREIGN KEY (project_id, tag_id) REFERENCES tags ON DELETE CASCADE
    );
    CREATE INDEX qrcode_tags_tag ON qrcode_tags (project_id, tag_id, qrcode_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE qrcode_tags;
    ALTER TABLE qrcodes DROP COLUMN use_display_page, DROP COLUMN rules, DROP COLUMN template_id;
    DROP TABLE templates, images`);
}
