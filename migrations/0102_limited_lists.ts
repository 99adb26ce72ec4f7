import type { Knex } from 'knex';

const TABLES = ['links', 'qrcodes'];

export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES) {
    await knex.raw(
      `CREATE INDEX ${table}_folder ON ${table} (project_id, folder_id, created_at, id)
        WHERE folder_id IS NOT NULL;
       CREATE INDEX ${table}_user ON ${table} (project_id, user_id, created_at, id)`,
    );
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES) {
    await knex.raw(`DROP INDEX ${table}_folder; DROP INDEX ${table}_user`);
  }
}
