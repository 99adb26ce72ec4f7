import type { Knex } from 'knex';

/** As src/infra/taken-name.ts had it then. */
const keyOf = (name: string) => name.normalize('NFC').toLowerCase();

export async function up(knex: Knex): Promise<void> {
  for (const table of ['tags', 'folders']) {
    // By which names are compared: lower() knows no letters beyond ASCII where the locale of the database is C.
    await knex.raw(`ALTER TABLE ${table} ADD COLUMN name_key text COLLATE "C"`);
    await fill(knex, table);
    await knex.raw(`
      DROP INDEX ${table}_name;
      CREATE UNIQUE INDEX ${table}_name ON ${table} (project_id, name_key);
      ALTER TABLE ${table} ALTER COLUMN name_key SET NOT NULL;
    `);
  }
}

async function fill(knex: Knex, table: string): Promise<void> {
  const rows = (await knex(table)
    .select('project_id', 'id', 'name')
    .orderBy(['project_id', 'id'])) as {
    project_id: string;
    id: string;
    name: string;
  }[];
  const seen = new Set<string>();
  const filled = rows.map(({ project_id, id, name }) => {
    const key = keyOf(name);
    const isFirst = !seen.has(`${project_id} ${key}`);
    seen.add(`${project_id} ${key}`);
    // Names that were told apart until now stay apart; the oldest answers to the name.
    return {
      project_id,
      id,
      name: name.normalize('NFC'),
      name_key: isFirst ? key : `${key} ${id}`,
    };
  });
  for (let at = 0; at < filled.length; at += 1_000) {
    await knex.raw(
      `UPDATE ${table} AS t SET name = f.name, name_key = f.name_key
         FROM json_to_recordset(?) AS f (project_id text, id text, name text, name_key text)
        WHERE t.project_id = f.project_id AND t.id = f.id`,
      [JSON.stringify(filled.slice(at, at + 1_000))],
    );
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['tags', 'folders']) {
    await knex.raw(`
      DROP INDEX ${table}_name;
      ALTER TABLE ${table} DROP COLUMN name_key;
      CREATE UNIQUE INDEX ${table}_name ON ${table} (project_id, lower(name));
    `);
  }
}
