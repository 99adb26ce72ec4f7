import type { Knex } from 'knex';

/** External ids of merged customers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE customer_aliases (
      project_id text COLLATE "C" NOT NULL,
      external_id text NOT NULL,
      -- The customer that had the external id, and the one that has it now.
      merged_id text COLLATE "C" NOT NULL,
      customer_id text COLLATE "C" NOT NULL,
      merged_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, external_id),
      UNIQUE (project_id, merged_id),
      FOREIGN KEY (project_id, customer_id) REFERENCES customers ON DELETE CASCADE
    );
    CREATE INDEX customer_aliases_customer ON customer_aliases (project_id, customer_id)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE customer_aliases');
}
