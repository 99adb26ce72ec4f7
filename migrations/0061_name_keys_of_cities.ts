import type { Knex } from 'knex';

/** Letters without a decomposition in Unicode, and apostrophes of print; each becomes one. */
const LETTERS = 'ØøĐđÐðĦħıŁłĿŀŊŋŦŧς’‘ʼ';
const REPLACEMENTS = "ooddddhhillllnnttσ'''";
/** Letters that become two. */
const PAIRS = {
  Æ: 'ae',
  æ: 'ae',
  Œ: 'oe',
  œ: 'oe',
  Ĳ: 'ij',
  ĳ: 'ij',
  Þ: 'th',
  þ: 'th',
  ẞ: 'ss',
  ß: 'ss',
};
/** Capital letters of Greek and Cyrillic, which the locale C does not convert. */
const CAPITALS = [...range(0x391, 0x3a9), ...range(0x400, 0x42f)].filter(
  (letter) => letter.normalize('NFD') === letter && letter.toLowerCase() !== letter,
);

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n));
}

export async function up(knex: Knex): Promise<void> {
  const [from, to] = [
    LETTERS + CAPITALS.join(''),
    REPLACEMENTS.replaceAll("'", "''") + CAPITALS.map((letter) => letter.toLowerCase()).join(''),
  ];
  const letters = `translate(regexp_replace(normalize(name, NFD), '[\\u0300-\\u036f]', '', 'g'), '${from}', '${to}')`;
  const spelled = Object.entries(PAIRS).reduce(
    (sql, [letter, pair]) => `replace(${sql}, '${letter}', '${pair}')`,
    letters,
  );
  await knex.raw(`
    -- Form in which names are compared; the same as nameKey of src/infra/name-key.ts. The locale C, because others
    -- have rules of their own for the letter I.
    CREATE FUNCTION name_key(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT lower((CASE WHEN octet_length(name) = char_length(name) THEN name ELSE ${spelled} END) COLLATE "C")
    $$`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION name_key(text)');
}
