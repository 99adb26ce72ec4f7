import { domainToUnicode } from 'node:url';
import anyAscii from 'any-ascii';
import type { Knex } from 'knex';

/** Records that are read at a time. */
const PAGE = 2_000;
/** Characters of each part that are searched. */
const MOST_CHARACTERS = 2_000;

/** As src/infra/folded.ts had it then. */
function searchable(text: string): string {
  const read = readable(text);
  const plain = toAscii(read);
  const spelled = toAscii(read.replaceAll(/[äöü]/gi, (letter) => `${letter}e`));
  return plain === spelled ? plain : `${plain}\n${spelled}`;
}

const toAscii = (text: string): string =>
  anyAscii(text)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .toLowerCase();

function readable(text: string): string {
  const decoded = text
    .replaceAll(/xn--[a-z0-9-]+/gi, (label) => domainToUnicode(label) || label)
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
      try {
        return decodeURIComponent(encoded);
      } catch {
        return encoded;
      }
    });
  // More marks in a row than any script has: to put them in order takes time in proportion to their square.
  return /\p{M}{31}/u.test(decoded) ? decoded : decoded.normalize('NFC');
}

/** Tables with a text to search, and the parts of it. */
const TABLES = {
  links: `SELECT r.project_id, r.id, ARRAY[r.title, d.slug || '/' || r.key, r.url, r.comments] AS parts
            FROM links r JOIN domains d ON d.id = r.domain_id`,
  qrcodes: `SELECT r.project_id, r.id, ARRAY[r.title, d.slug || '/' || r.key, r.url, r.comments] AS parts
              FROM qrcodes r JOIN domains d ON d.id = r.domain_id`,
  tags: 'SELECT r.project_id, r.id, ARRAY[r.name] AS parts FROM tags r',
};

export async function up(knex: Knex): Promise<void> {
  for (const [table, query] of Object.entries(TABLES)) {
    await knex.raw(
      `ALTER TABLE ${table} ADD COLUMN search_text text COLLATE "C" NOT NULL DEFAULT ''`,
    );
    await fill(knex, table, query);
  }
  // A server may lack the extension, or keep it from the owner of the database: searches read all records then.
  await knex.raw(`
    DO $$
    DECLARE
      home text;
    BEGIN
      BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
      EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN NULL;
      END;
      SELECT extnamespace::regnamespace INTO home FROM pg_extension WHERE extname = 'pg_trgm';
      IF home IS NULL THEN RETURN; END IF;
      EXECUTE format('CREATE INDEX links_search ON links USING gin (search_text %s.gin_trgm_ops)', home);
      EXECUTE format('CREATE INDEX qrcodes_search ON qrcodes USING gin (search_text %s.gin_trgm_ops)', home);
    END $$`);
}

async function fill(knex: Knex, table: string, query: string): Promise<void> {
  for (let last = { project_id: '', id: '' }; ; ) {
    const { rows } = await knex.raw<{
      rows: { project_id: string; id: string; parts: (string | null)[] }[];
    }>(
      `${query} WHERE (r.project_id, r.id) > (:project_id, :id) ORDER BY r.project_id, r.id LIMIT ${PAGE}`,
      last,
    );
    const texts = rows.map(({ project_id, id, parts }) => ({
      project_id,
      id,
      search_text: parts
        .flatMap((part) => (part === null ? [] : [searchable(part.slice(0, MOST_CHARACTERS))]))
        .join('\n'),
    }));
    await knex.raw(
      `UPDATE ${table} AS r SET search_text = f.search_text
         FROM json_to_recordset(?) AS f (project_id text, id text, search_text text)
        WHERE r.project_id = f.project_id AND r.id = f.id`,
      [JSON.stringify(texts)],
    );
    if (rows.length < PAGE) return;
    last = rows.at(-1)!;
  }
}

export async function down(knex: Knex): Promise<void> {
  // The indexes go with their columns. Others may use the extension.
  for (const table of Object.keys(TABLES)) {
    await knex.raw(`ALTER TABLE ${table} DROP COLUMN search_text`);
  }
}
