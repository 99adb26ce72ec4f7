import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE ended_limits (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      limits jsonb NOT NULL,
      PRIMARY KEY (project_id, user_id)
    );
    UPDATE workspace_users SET limits = NULL WHERE role = 'owner' AND limits IS NOT NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE ended_limits');
}
