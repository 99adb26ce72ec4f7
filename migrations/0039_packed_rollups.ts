import type { Knex } from 'knex';

/** Dimensions that were counted by quarters of an hour. */
const FINE = "'all', 'country', 'device', 'browser', 'os'";
/** Arrays of numbers that are read as a whole: compressed, they would cost more time than they save. */
const PLAIN = ['ids', 'counts', 'amounts'];
/** Tables of rollups, the column of their owner, and their primary keys. */
const TABLES = [
  ['rollups', 'domain', 'project_id, dimension, event, step, bucket, domain'],
  ['record_rollups', 'record_id', 'project_id, record_id, dimension, event, step, bucket'],
] as const;

/** SQL of a destination without its query and fragment. */
const PAGE = (url: string) => `split_part(split_part(${url}, '#', 1), chr(63), 1)`;

const UTM = (part: (text: string) => string) =>
  [1, 2, 3, 4, 5].map((at) => part(`coalesce(texts[${at}], '')`)).join(" || E'\\t' || ");

/** The function that joins the UTM parameters of a URL to one value. */
const utmValue = (joined: string) => `
  CREATE OR REPLACE FUNCTION utm_value(url text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  DECLARE
    texts text[] := utm_texts(url);
    joined text;
  BEGIN
    IF texts IS NULL THEN RETURN NULL; END IF;
    joined := ${joined};
    RETURN CASE WHEN btrim(joined, E'\\t') <> '' THEN joined END;
  END $$`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The values of dimensions, and other texts of events that filters search. Numbers in rollups refer to them.
    CREATE TABLE event_values (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL,
      dimension text COLLATE "C" NOT NULL,
      value text COLLATE "C" NOT NULL
    );
    -- Values may be longer than a key of an index.
    CREATE UNIQUE INDEX event_values_value ON event_values (project_id, dimension, md5(value));
    ${TABLES.map(([table]) => `ALTER TABLE ${table} RENAME TO old_${table};`).join('\n')}
    ${TABLES.map(([table]) => `ALTER INDEX ${table}_pkey RENAME TO old_${table}_pkey;`).join('\n')}`);
  for (const [table, owner, key] of TABLES) {
    await knex.raw(`
      -- Counts of the values of a dimension in one period, by the ids of the values, in their order: days and months of
      -- UTC. Days of dimensions with few values have counts by quarters of an hour: the id times 96, plus the quarter.
      CREATE TABLE ${table} (
        project_id text COLLATE "C" NOT NULL,
        ${owner} text COLLATE "C" NOT NULL,
        dimension text COLLATE "C" NOT NULL,
        event text COLLATE "C" NOT NULL,
        step "char" NOT NULL CHECK (step IN ('d', 'm')),
        bucket timestamptz NOT NULL,
        ids bigint[] NOT NULL,
        counts bigint[] NOT NULL,
        -- In US cents; NULL: all are 0.
        amounts bigint[],
        PRIMARY KEY (${key})
      );
      ${PLAIN.map((column) => `ALTER TABLE ${table} ALTER COLUMN ${column} SET STORAGE EXTERNAL;`).join('\n')}`);
  }
  await knex.raw(`
    -- What was added to the days of rollups and is not merged into them yet.
    CREATE TABLE rollup_deltas (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL,
      is_record boolean NOT NULL,
      owner text COLLATE "C" NOT NULL,
      dimension text COLLATE "C" NOT NULL,
      event text COLLATE "C" NOT NULL,
      bucket timestamptz NOT NULL,
      ids bigint[] NOT NULL,
      counts bigint[] NOT NULL,
      amounts bigint[]
    );
    CREATE INDEX rollup_deltas_dimension ON rollup_deltas (project_id, is_record, dimension);`);
  await convertDeleted(knex);
  await knex.raw(`
    ${utmValue(UTM((text) => text))};
    DROP TABLE old_rollups, old_record_rollups, event_texts, long_values;
    ALTER TABLE workspaces DROP COLUMN summed_until;
    INSERT INTO rollup_rebuilds (project_id) SELECT id FROM workspaces
      ON CONFLICT (project_id) DO UPDATE SET requested_at = now(), rebuilt_until = NULL`);
}

/** Rollups of events that retention has deleted follow from no event, so they are kept; all others are rebuilt. */
async function convertDeleted(knex: Knex): Promise<void> {
  const wholeValue = `CASE WHEN position(E'\\x01' IN r.value) = 0 THEN r.value ELSE (
    SELECT string_agg(coalesce(l.value, part), E'\\t' ORDER BY place)
      FROM string_to_array(r.value, E'\\t') AS parts, unnest(parts) WITH ORDINALITY AS p(part, place)
      LEFT JOIN long_values l ON l.project_id = r.project_id AND l.id = part) END`;
  for (const [table, owner] of TABLES) {
    await knex.raw(`
      CREATE TEMP TABLE converted ON COMMIT DROP AS
      SELECT project_id, owner, dimension, event, bucket, quarter,
             CASE WHEN dimension = 'url' THEN ${PAGE('value')} ELSE value END AS value,
             sum(count) AS count, sum(amount_cents) AS amount
        FROM (SELECT r.project_id, r.${owner} AS owner, r.dimension, r.event, date_trunc('day', r.bucket, 'UTC') AS bucket,
                     CASE WHEN r.step = 'q' THEN extract(epoch FROM r.bucket - date_trunc('day', r.bucket, 'UTC'))::int / 900 END AS quarter,
                     ${wholeValue} AS value, r.count, r.amount_cents
                FROM old_${table} r JOIN workspaces w ON w.id = r.project_id
               WHERE r.bucket < w.events_from
                 AND r.step = CASE WHEN r.dimension ${table === 'rollups' ? `IN (${FINE})` : "= 'all'"} THEN 'q' ELSE 'd' END) AS old
       GROUP BY 1, 2, 3, 4, 5, 6, 7;
      INSERT INTO event_values (project_id, dimension, value)
      SELECT DISTINCT project_id, dimension, value FROM converted WHERE dimension <> 'all'
      ON CONFLICT DO NOTHING;
      CREATE TEMP TABLE numbered ON COMMIT DROP AS
      SELECT c.project_id, c.owner, c.dimension, c.event, c.bucket, c.quarter, coalesce(v.id, 0) AS id, c.count, c.amount
        FROM converted c LEFT JOIN event_values v
          ON v.project_id = c.project_id AND v.dimension = c.dimension AND md5(v.value) = md5(c.value);
      ${pack(table, owner, 'd', 'bucket', 'coalesce(id * 96 + quarter, id)')};
      ${pack(table, owner, 'm', "date_trunc('month', bucket, 'UTC')", 'id')};
      DROP TABLE converted, numbered`);
  }
}

const pack = (table: string, owner: string, step: string, bucket: string, id: string) => `
  INSERT INTO ${table} (project_id, ${owner}, dimension, event, step, bucket, ids, counts, amounts)
  SELECT project_id, owner, dimension, event, '${step}', bucket, array_agg(id ORDER BY id), array_agg(count ORDER BY id),
         CASE WHEN max(amount) > 0 THEN array_agg(amount ORDER BY id) END
    FROM (SELECT project_id, owner, dimension, event, ${bucket} AS bucket, ${id} AS id, sum(count)::bigint AS count,
                 least(sum(amount), 9223372036854775807)::bigint AS amount FROM numbered GROUP BY 1, 2, 3, 4, 5, 6) AS summed
   GROUP BY 1, 2, 3, 4, 6`;

/** Earlier versions derive their rollups from the events; counts of events that retention has deleted are lost. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE rollups, record_rollups, rollup_deltas, event_values;
    ${utmValue(UTM((text) => `rollup_value(${text})`))};
    CREATE TABLE long_values (
      project_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      value text NOT NULL,
      PRIMARY KEY (project_id, id)
    );
    CREATE TABLE event_texts (
      project_id text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      value text COLLATE "C" NOT NULL,
      PRIMARY KEY (project_id, kind, value)
    );
    ALTER TABLE workspaces ADD COLUMN summed_until timestamptz NOT NULL DEFAULT '-infinity'`);
  for (const [table, owner] of TABLES) {
    const key =
      owner === 'domain'
        ? 'project_id, event, dimension, step, bucket, domain, value'
        : 'project_id, record_id, event, dimension, step, bucket, value';
    await knex.raw(`
      CREATE TABLE ${table} (
        project_id text COLLATE "C" NOT NULL,
        ${owner === 'record_id' ? `${owner} text COLLATE "C" NOT NULL,` : ''}
        event text NOT NULL,
        dimension text NOT NULL,
        step "char" NOT NULL CHECK (step IN ('q', 'd', 'w', 'm')),
        bucket timestamptz NOT NULL,
        ${owner === 'domain' ? `${owner} text COLLATE "C" NOT NULL,` : ''}
        value text COLLATE "C" NOT NULL,
        count bigint NOT NULL,
        amount_cents bigint NOT NULL,
        PRIMARY KEY (${key})
      ) WITH (fillfactor = 70)`);
  }
  await knex.raw(`
    INSERT INTO rollup_rebuilds (project_id) SELECT id FROM workspaces
      ON CONFLICT (project_id) DO UPDATE SET requested_at = now(), rebuilt_until = NULL`);
}
