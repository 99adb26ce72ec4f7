import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The name under which destinations get the id of the click, and of its cookie.
    ALTER TABLE workspaces ADD COLUMN click_id_parameter text NOT NULL DEFAULT 'click_id'
      CHECK (click_id_parameter IN ('click_id', 'dub_id'));
    -- ISO 3166-1 alpha-2: where the customer first came from, or as the workspace says.
    ALTER TABLE customers ADD COLUMN country text COLLATE "C";
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE customers DROP COLUMN country;
    ALTER TABLE workspaces DROP COLUMN click_id_parameter;
  `);
}
