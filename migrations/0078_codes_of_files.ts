import type { Knex } from 'knex';

/** Finds the QR codes that open a file, of which each download is answered. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX qrcodes_file ON qrcodes (project_id, (design -> 'storedFile' ->> 'id'))
      WHERE design -> 'storedFile' IS NOT NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX qrcodes_file');
}
