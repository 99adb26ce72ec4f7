import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Links from CSV files, by slices of a file; the columns of progress move in the transactions of the slices.
    CREATE TABLE imports (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      name text,
      state text NOT NULL CHECK (state IN
        ('checking', 'checked', 'queued', 'running', 'done', 'cancelled', 'undoing', 'undone')),
      options jsonb NOT NULL,
      file jsonb NOT NULL,
      has_file boolean NOT NULL DEFAULT true,
      rows integer NOT NULL,
      -- The next slice of the file.
      position integer NOT NULL DEFAULT 0,
      done integer NOT NULL DEFAULT 0,
      created integer NOT NULL DEFAULT 0,
      updated integer NOT NULL DEFAULT 0,
      skipped integer NOT NULL DEFAULT 0,
      refused integer NOT NULL DEFAULT 0,
      -- Sealed: cells may hold passwords.
      preview text,
      undo jsonb,
      -- Look-up entries that the last slice changed, until they are published.
      changes jsonb,
      created_at timestamptz NOT NULL DEFAULT now(),
      -- Order of the imports of a workspace.
      requested_at timestamptz NOT NULL DEFAULT now(),
      started_at timestamptz,
      ended_at timestamptz,
      PRIMARY KEY (project_id, id)
    );
    CREATE INDEX imports_open ON imports (project_id)
      WHERE state IN ('checking', 'queued', 'running', 'undoing') OR changes IS NOT NULL;
    CREATE INDEX imports_files ON imports (ended_at) WHERE has_file;

    -- Rows of the file, sealed, by slices.
    CREATE TABLE import_slices (
      project_id text COLLATE "C" NOT NULL,
      import_id text COLLATE "C" NOT NULL,
      position integer NOT NULL,
      rows text NOT NULL,
      PRIMARY KEY (project_id, import_id, position),
      FOREIGN KEY (project_id, import_id) REFERENCES imports ON DELETE CASCADE
    );
    -- Rows that were refused, with their cells, sealed.
    CREATE TABLE import_errors (
      project_id text COLLATE "C" NOT NULL,
      import_id text COLLATE "C" NOT NULL,
      row integer NOT NULL,
      faults jsonb NOT NULL,
      cells text NOT NULL,
      PRIMARY KEY (project_id, import_id, row),
      FOREIGN KEY (project_id, import_id) REFERENCES imports ON DELETE CASCADE
    );
    -- Keys and external ids that the check of a file has met.
    CREATE TABLE import_names (
      project_id text COLLATE "C" NOT NULL,
      import_id text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      PRIMARY KEY (project_id, import_id, name),
      FOREIGN KEY (project_id, import_id) REFERENCES imports ON DELETE CASCADE
    );
    -- Links that an import made, and when.
    CREATE TABLE import_links (
      project_id text COLLATE "C" NOT NULL,
      link_id text COLLATE "C" NOT NULL,
      import_id text COLLATE "C" NOT NULL,
      made_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, link_id),
      FOREIGN KEY (project_id, import_id) REFERENCES imports ON DELETE CASCADE,
      FOREIGN KEY (project_id, link_id) REFERENCES links ON DELETE CASCADE
    );
    CREATE INDEX import_links_import ON import_links (project_id, import_id, link_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE import_links, import_names, import_errors, import_slices, imports');
}
