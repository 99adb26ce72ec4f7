import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The export of a whole workspace may exceed 2 GiB. Exports are gone after a day.
    ALTER TABLE exports ALTER COLUMN bytes TYPE bigint,
      -- Jobs that failed for good since the last progress.
      ADD COLUMN faults integer NOT NULL DEFAULT 0;
    CREATE INDEX exports_of_workspace ON exports (project_id)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX exports_of_workspace;
    DELETE FROM exports WHERE bytes > 2147483647;
    ALTER TABLE exports DROP COLUMN faults, ALTER COLUMN bytes TYPE integer`);
}
