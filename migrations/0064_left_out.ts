import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Requests for links that are not counted, by day (UTC) and program.
    CREATE TABLE left_out (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      day date NOT NULL,
      class text NOT NULL,
      program text COLLATE "C" NOT NULL,
      requests bigint NOT NULL,
      PRIMARY KEY (project_id, day, class, program)
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE left_out');
}
