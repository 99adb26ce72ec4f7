import type { Knex } from 'knex';

const PARAMETERS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'];

/** UTF-8 in hexadecimal, without the byte 0, which no text may have. */
const UTF_8 = [
  '0[1-9a-f]|[1-7][0-9a-f]',
  '(c[2-9a-f]|d[0-9a-f])[89ab][0-9a-f]',
  'e0[ab][0-9a-f][89ab][0-9a-f]',
  'e[1-9a-cef][89ab][0-9a-f][89ab][0-9a-f]',
  'ed[89][0-9a-f][89ab][0-9a-f]',
  'f0[9ab][0-9a-f]([89ab][0-9a-f]){2}',
  'f[1-3]([89ab][0-9a-f]){3}',
  'f48[0-9a-f]([89ab][0-9a-f]){2}',
].join('|');

/** Tables of rollups, and the column of their owner. */
const ROLLUPS = [
  ['rollups', 'domain'],
  ['record_rollups', 'record_id'],
] as const;

export async function up(knex: Knex): Promise<void> {
  // In PL/pgSQL, whose plans are kept: functions in SQL that call each other are planned anew for each event.
  await knex.raw(`
    -- A text of a query as it was meant: percent-decoded where that is UTF-8, else as it is written. Values of rollups are
    -- joined by tabs, so control characters become spaces.
    CREATE FUNCTION query_text(written text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE
      plain text := replace(written, '+', ' ');
      hex text;
    BEGIN
      IF position('%' IN plain) > 0 THEN
        SELECT string_agg(CASE WHEN part[1] ~ '^%[0-9a-fA-F]{2}$' THEN lower(substr(part[1], 2))
                               ELSE encode(convert_to(part[1], 'UTF8'), 'hex') END, '' ORDER BY n) INTO hex
          FROM regexp_matches(plain, '%[0-9a-fA-F]{2}|[^%]+|%', 'g') WITH ORDINALITY AS m(part, n);
        IF hex ~ '^(${UTF_8})*$' THEN plain := convert_from(decode(hex, 'hex'), 'UTF8'); END IF;
      END IF;
      RETURN regexp_replace(plain, '[\\u0001-\\u001f\\u007f]', ' ', 'g');
    END $$;

    -- The UTM parameters of a URL: source, medium, campaign, term, content; NULL where it has none.
    CREATE FUNCTION utm_texts(url text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE
      address text;
      query text;
    BEGIN
      IF position('utm_' IN url) = 0 THEN RETURN NULL; END IF;
      address := split_part(url, '#', 1);
      IF strpos(address, chr(63)) = 0 THEN RETURN NULL; END IF;
      query := '&' || substr(address, strpos(address, chr(63)) + 1);
      RETURN ARRAY[${PARAMETERS.map((name) => `nullif(query_text(substring(query FROM '&${name}=([^&]*)')), '')`).join(', ')}];
    END $$;

    -- The same as a value of rollups: five texts, joined by tabs.
    CREATE FUNCTION utm_value(url text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE
      texts text[] := utm_texts(url);
      joined text;
    BEGIN
      IF texts IS NULL THEN RETURN NULL; END IF;
      joined := ${[1, 2, 3, 4, 5].map((at) => `rollup_value(coalesce(texts[${at}], ''))`).join(" || E'\\t' || ")};
      RETURN CASE WHEN btrim(joined, E'\\t') <> '' THEN joined END;
    END $$;
  `);
  // Counts by UTM parameters follow from counts by destination, also where retention has deleted the events.
  await knex.raw(`
    INSERT INTO long_values (project_id, id, value)
    SELECT DISTINCT project_id, rollup_value(one), one
      FROM (SELECT l.project_id, unnest(utm_texts(l.value)) AS one FROM long_values l) AS texts
     WHERE octet_length(one) > 400
    ON CONFLICT DO NOTHING`);
  for (const [table, owner] of ROLLUPS) {
    await knex.raw(`
      INSERT INTO ${table} (project_id, ${owner}, event, dimension, step, bucket, value, count, amount_cents)
      SELECT project_id, ${owner}, event, 'utm', step, bucket, utm, sum(count),
             least(sum(amount_cents), 9223372036854775807)
        FROM (SELECT r.*, utm_value(coalesce(l.value, r.value)) AS utm FROM ${table} r
                LEFT JOIN long_values l ON l.project_id = r.project_id AND l.id = r.value
               WHERE r.dimension = 'url') AS tagged
       WHERE utm IS NOT NULL
       GROUP BY project_id, ${owner}, event, step, bucket, utm`);
  }
  // Events that an earlier version stores until it is stopped are counted by this.
  await knex.raw(`
    INSERT INTO rollup_rebuilds (project_id) SELECT id FROM workspaces
      ON CONFLICT (project_id) DO UPDATE SET requested_at = now(), rebuilt_until = NULL`);
  await knex.raw(`
    ALTER TABLE domains
      -- Files of the domain for apps, as JSON text: served as they were sent.
      ADD COLUMN apple_app_site_association text,
      ADD COLUMN asset_links text,
      -- Once a link of the domain has answered every path below its key.
      ADD COLUMN has_wildcards boolean NOT NULL DEFAULT false`);
}

export async function down(knex: Knex): Promise<void> {
  for (const [table] of ROLLUPS) {
    await knex.raw(`DELETE FROM ${table} WHERE dimension = 'utm'`);
  }
  await knex.raw(`
    DROP FUNCTION utm_value(text);
    DROP FUNCTION utm_texts(text);
    DROP FUNCTION query_text(text);
    ALTER TABLE domains DROP COLUMN apple_app_site_association, DROP COLUMN asset_links,
      DROP COLUMN has_wildcards`);
}
