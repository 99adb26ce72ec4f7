import type { Knex } from 'knex';

/**
 * Indexes the letters of customers and their pairs: a search for one or two letters, or for signs,
 * has no trigram. Only ASCII letters become lower case, since other ones depend on the locale.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION letter_pairs(VARIADIC texts text[]) RETURNS text[]
      LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
    DECLARE
      letters text[] := regexp_split_to_array(lower(array_to_string(texts, E'\\n') COLLATE "C"), '');
      length int := cardinality(letters);
      pairs text[] := letters;
    BEGIN
      FOR at IN 2 .. length LOOP
        pairs[length + at - 1] := letters[at - 1] || letters[at];
      END LOOP;
      RETURN pairs;
    END $$;
    CREATE INDEX customers_letters
      ON customers USING gin (letter_pairs(name, email, external_id) COLLATE "C")`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX customers_letters;
    DROP FUNCTION letter_pairs`);
}
