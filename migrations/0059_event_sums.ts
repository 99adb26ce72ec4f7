import type { Knex } from 'knex';

/** Tables of rollups, and the columns of their owners. */
const ROLLUPS = [
  ['rollups', 'domain', false],
  ['record_rollups', 'record_id', true],
] as const;
const QUARTERS = 96n;

/** Rows that are converted at a time. */
const CHUNK = 500;

/** SQL of the dimensions of a late event `e`, as this version of rollups counted them. */
const VALUES = `
  ('all', ''), ('country', e.country), ('device', e.device), ('browser', e.browser), ('os', e.os),
  ('city', e.country || E'\\t' || e.region || E'\\t' || e.city), ('referer', e.referer),
  ('referer_url', e.referer_url), ('url', split_part(split_part(e.url, '#', 1), chr(63), 1)),
  ('utm', CASE WHEN position('utm_' IN e.url) > 0 THEN utm_value(e.url) END), ('record', e.link_id),
  ('page', e.page_id), ('variant', e.link_id || E'\\t' || e.variant), ('event_name', e.event_name)`;

/**
 * Query for the counts of late events: of a time whose events retention has deleted, but stored
 * afterwards, or not deleted yet. Rollups have them, and the next retention would delete them.
 */
const LATE = `
  SELECT project_id, is_record, owner, dimension, event, day, date_trunc('month', day, 'UTC') AS month,
         array_agg(id::text) AS ids, array_agg(count::text) AS counts, array_agg(amount::text) AS amounts
    FROM (SELECT e.project_id, owned.is_record, owned.owner, d.dimension, e.event, t.day,
                 coalesce(v.id, 0) * ${QUARTERS} + floor(extract(epoch FROM e.occurred_at - t.day) / 900)::int AS id,
                 count(*) AS count, sum(coalesce(e.amount_cents, 0)) AS amount
            FROM workspaces w
           -- Not flattened because of OFFSET, so that partitions after the time of a workspace are not read.
           CROSS JOIN LATERAL (
             SELECT * FROM events WHERE project_id = w.id AND occurred_at < w.events_from OFFSET 0) AS e
           CROSS JOIN LATERAL date_trunc('day', e.occurred_at, 'UTC') AS t(day)
            LEFT JOIN counters c ON c.project_id = e.project_id AND c.record_id = e.link_id
           CROSS JOIN LATERAL (
             VALUES (false, e.domain), (true, CASE WHEN e.occurred_at >= c.rolled_from THEN e.link_id END)
           ) AS owned(is_record, owner)
           CROSS JOIN LATERAL (VALUES ${VALUES}) AS d(dimension, value)
            LEFT JOIN event_values v
              ON v.project_id = e.project_id AND v.dimension = d.dimension AND md5(v.value) = md5(d.value)
           WHERE owned.owner IS NOT NULL AND (v.id IS NOT NULL OR d.dimension = 'all')
             AND NOT (owned.is_record AND d.dimension = 'record')
           GROUP BY 1, 2, 3, 4, 5, 6, 7) AS counted
   GROUP BY 1, 2, 3, 4, 5, 6`;

/** The owner and kind of the counts of a day. */
interface Day {
  project_id: string;
  is_record: boolean;
  owner: string;
  dimension: string;
  event: string;
  day: Date;
  month: Date;
}

/** A row of {@link LATE}: counts by the id of the value times 96 plus the quarter-hour. */
interface Late extends Day {
  ids: string[];
  counts: string[];
  amounts: string[];
}

/** The count and the amount of an id. */
type Sums = Map<bigint, [count: bigint, amount: bigint]>;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Counts of successive blocks together, by the ids of values, for the whole workspace and for each link or QR code
    -- with many events. The format of counts is described in src/events/store/postgres/counts.ts.
    CREATE TABLE event_block_sums (
      project_id text COLLATE "C" NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      -- Number of blocks; with fewer that refer to it, the sum is no longer valid.
      blocks integer NOT NULL,
      PRIMARY KEY (project_id, id)
    );
    CREATE TABLE event_block_counts (
      project_id text COLLATE "C" NOT NULL,
      sum_id bigint NOT NULL,
      -- Link or QR code; empty: all events of the workspace.
      owner text COLLATE "C" NOT NULL,
      -- The counts of 'all' are by quarter-hours since 1970.
      dimension text COLLATE "C" NOT NULL,
      event text COLLATE "C" NOT NULL,
      counts bytea NOT NULL,
      PRIMARY KEY (project_id, sum_id, owner, dimension, event),
      FOREIGN KEY (project_id, sum_id) REFERENCES event_block_sums ON DELETE CASCADE
    );
    -- Compressed already.
    ALTER TABLE event_block_counts ALTER COLUMN counts SET STORAGE EXTERNAL;
    ALTER TABLE event_blocks ADD COLUMN sum_id bigint;
    CREATE INDEX event_blocks_unsummed ON event_blocks (project_id) WHERE sum_id IS NULL;
    -- Whoever empties a block, processes of the previous version included, takes it out of its sum.
    CREATE FUNCTION leave_block_sum() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.sum_id := NULL;
      RETURN NEW;
    END $$;
    CREATE TRIGGER event_blocks_emptied BEFORE UPDATE OF size ON event_blocks
      FOR EACH ROW WHEN (NEW.size IS NULL) EXECUTE FUNCTION leave_block_sum();

    -- Numbers of events stored since their workspace was last divided into blocks.
    CREATE TABLE events_stored (
      project_id text COLLATE "C" NOT NULL,
      count integer NOT NULL
    );

    -- Counts of events that retention has deleted: of days and months in UTC, in as many rows as transactions added.
    CREATE TABLE kept_counts (
      project_id text COLLATE "C" NOT NULL,
      is_record boolean NOT NULL,
      -- Domain, or link or QR code.
      owner text COLLATE "C" NOT NULL,
      dimension text COLLATE "C" NOT NULL,
      event text COLLATE "C" NOT NULL,
      step "char" NOT NULL CHECK (step IN ('d', 'm')),
      bucket timestamptz NOT NULL,
      counts bytea NOT NULL,
      -- Of days, by the id times 96 plus the quarter-hour; NULL where they are not counted.
      quarters bytea
    );
    ALTER TABLE kept_counts ALTER COLUMN counts SET STORAGE EXTERNAL, ALTER COLUMN quarters SET STORAGE EXTERNAL;
    CREATE INDEX kept_counts_domain ON kept_counts (project_id, dimension, event, step, bucket) WHERE NOT is_record;
    CREATE INDEX kept_counts_record ON kept_counts (project_id, owner, dimension, event, step) WHERE is_record;

    -- Names of links and QR codes in events that retention has deleted. Retention of the previous version, which would
    -- add the counts to other tables, stores names in the transaction that deletes events: it is refused.
    CREATE TABLE kept_names (LIKE record_names INCLUDING ALL);
    ALTER TABLE kept_names ADD FOREIGN KEY (project_id) REFERENCES workspaces ON DELETE CASCADE;
    CREATE FUNCTION refuse_old_retention() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'retention waits until all processes run the new version';
    END $$;
    CREATE TRIGGER record_names_old_retention BEFORE INSERT ON record_names
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_old_retention();
    -- Erasure by the previous version deletes names of links and QR codes from its own table.
    CREATE FUNCTION delete_kept_names() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM kept_names WHERE project_id = OLD.project_id AND record_id = OLD.record_id;
      DELETE FROM kept_counts WHERE project_id = OLD.project_id AND is_record AND owner = OLD.record_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER record_names_old_erasure AFTER DELETE ON record_names
      FOR EACH ROW EXECUTE FUNCTION delete_kept_names();
    -- Processes of the previous version answer from events while a workspace is marked, so none may end that: new
    -- events are no longer added to their tables.
    CREATE FUNCTION refuse_old_rebuild() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- The row of a deleted workspace goes with it.
      IF EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.project_id) THEN
        RAISE EXCEPTION 'there are no rollups to rebuild in the new version';
      END IF;
      RETURN OLD;
    END $$;
    CREATE TRIGGER rollup_rebuilds_old_rebuild BEFORE DELETE ON rollup_rebuilds
      FOR EACH ROW EXECUTE FUNCTION refuse_old_rebuild();
    INSERT INTO kept_names SELECT * FROM record_names`);
  await keepCounts(knex);
  await knex.raw(`
    -- Empty, for processes of the previous version, which answer from events until they are stopped.
    TRUNCATE rollups, record_rollups, rollup_deltas;
    INSERT INTO rollup_rebuilds (project_id) SELECT id FROM workspaces
      ON CONFLICT (project_id) DO UPDATE SET requested_at = now(), rebuilt_until = NULL;
    -- Whole destinations, which nothing reads.
    DELETE FROM event_values WHERE dimension = 'destination';
    INSERT INTO events_stored (project_id, count) SELECT id, 1000000 FROM workspaces`);
}

/** Keeps the counts of events that retention has deleted; all others follow from events. */
async function keepCounts(knex: Knex): Promise<void> {
  // Processes of the previous version still read, but merge no additions from one table to another.
  await knex.raw('LOCK TABLE rollup_deltas, rollups, record_rollups IN EXCLUSIVE MODE');
  for (const [table, owner, isRecord] of ROLLUPS) {
    await knex.raw(`
      INSERT INTO kept_counts (project_id, is_record, owner, dimension, event, step, bucket, counts, quarters)
      SELECT r.project_id, ${isRecord}, r.${owner}, r.dimension, r.event, r.step, r.bucket, r.counts, r.quarters
        FROM ${table} r JOIN workspaces w ON w.id = r.project_id
       WHERE r.bucket < w.events_from ${isRecord ? "AND r.step = 'd'" : ''}`);
  }
  await convert<Day & { counts: Buffer }>(
    knex,
    'kept_counts',
    `SELECT r.project_id, r.is_record, r.owner, r.dimension, r.event, r.bucket AS day,
            date_trunc('month', r.bucket, 'UTC') AS month, r.counts
       FROM rollup_deltas r JOIN workspaces w ON w.id = r.project_id WHERE r.bucket < w.events_from`,
    ({ counts, ...day }) => keptRows(day, unpack(counts)),
  );
  // Late events count as stored events too.
  await convert<Late>(knex, 'kept_counts', LATE, ({ ids, counts, amounts, ...day }) =>
    keptRows(day, storedSums(day, { ids, counts, amounts }, -1n)),
  );
}

/** Returns true if the counts of a day are by quarter-hour. */
const isFine = ({ is_record, dimension }: Day): boolean => !is_record || dimension === 'all';

/** Makes the rows of the counts of a day, and of its month. */
function keptRows({ day, month, ...key }: Day, sums: Sums): object[] {
  const hasQuarters = isFine({ day, month, ...key });
  const counts = pack(hasQuarters ? byValue(sums) : sums);
  const ofDay = { ...key, step: 'd', bucket: day, counts, quarters: null };
  if (hasQuarters) Object.assign(ofDay, { quarters: pack(sums) });
  // Links and QR codes have days alone.
  if (key.is_record) return [ofDay];
  return [ofDay, { ...key, step: 'm', bucket: month, counts, quarters: null }];
}

/** Returns the counts of late events as the previous version stores them. */
function storedSums(
  day: Day,
  { ids, counts, amounts }: Pick<Late, 'ids' | 'counts' | 'amounts'>,
  sign: 1n | -1n,
): Sums {
  const sums: Sums = new Map(
    ids.map((id, at) => [BigInt(id), [sign * BigInt(counts[at]!), sign * BigInt(amounts[at]!)]]),
  );
  return isFine(day) ? sums : byValue(sums);
}

/** Inserts the rows that are made of each row of a query. */
async function convert<Row extends object>(
  knex: Knex,
  table: string,
  query: string,
  rowsOf: (row: Row) => object[],
): Promise<void> {
  await knex.raw(`DECLARE converted NO SCROLL CURSOR FOR ${query}`);
  for (;;) {
    const { rows } = await knex.raw<{ rows: Row[] }>(`FETCH ${CHUNK} FROM converted`);
    const converted = rows.flatMap(rowsOf);
    if (converted.length > 0) await knex(table).insert(converted);
    if (rows.length < CHUNK) break;
  }
  await knex.raw('CLOSE converted');
}

/** Counts of values, of those of their quarter-hours. */
const byValue = (quarters: Sums): Sums => added([quarters], (id) => id / QUARTERS);

/** Adds counts, by ids made of theirs; those that are 0 are left out. */
function added(all: readonly Sums[], idOf = (id: bigint): bigint => id): Sums {
  const sums: Sums = new Map();
  for (const [id, [count, amount]] of all.flatMap((one) => [...one])) {
    const [n, cents] = sums.get(idOf(id)) ?? [0n, 0n];
    sums.set(idOf(id), [n + count, cents + amount]);
  }
  return new Map([...sums].filter(([, [count, amount]]) => count !== 0n || amount !== 0n));
}

function pack(sums: Sums): Buffer {
  const hasAmounts = [...sums.values()].some(([, amount]) => amount !== 0n);
  const bytes = [hasAmounts ? 2 : 1];
  const add = (value: bigint) => {
    let left = value;
    for (; left >= 128n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
    bytes.push(Number(left));
  };
  const addSigned = (value: bigint) => add(value < 0n ? -2n * value - 1n : 2n * value);
  let before = 0n;
  for (const [id, [count, amount]] of [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    add(id - before);
    addSigned(count);
    if (hasAmounts) addSigned(amount);
    before = id;
  }
  return Buffer.from(bytes);
}

function unpack(packed: Buffer): Sums {
  const sums: Sums = new Map();
  let at = 1;
  const next = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = packed[at]!;
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const nextSigned = () => {
    const value = next();
    return value % 2n === 0n ? value / 2n : -(value + 1n) / 2n;
  };
  for (let id = 0n; at < packed.length; ) {
    id += next();
    sums.set(id, [nextSigned(), packed[0] === 2 ? nextSigned() : 0n]);
  }
  return sums;
}

/** Kept counts of one period; rows of several transactions. */
interface Kept {
  counts: Buffer[];
  quarters: (Buffer | null)[];
}

/** The previous version derives the other rollups from events again. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER record_names_old_retention ON record_names;
    DROP TRIGGER record_names_old_erasure ON record_names;
    DROP TRIGGER rollup_rebuilds_old_rebuild ON rollup_rebuilds;
    DROP FUNCTION refuse_old_retention(), delete_kept_names(), refuse_old_rebuild();
    DELETE FROM record_names;
    INSERT INTO record_names SELECT * FROM kept_names;
    DROP TABLE kept_names;
    TRUNCATE rollups, record_rollups, rollup_deltas`);
  // The previous version has months of links and QR codes too.
  const months = `
    SELECT project_id, is_record, owner, dimension, event, 'm'::"char" AS step,
           date_trunc('month', bucket, 'UTC') AS bucket, counts, NULL::bytea AS quarters FROM kept_counts WHERE is_record`;
  for (const [table, owner, isRecord] of ROLLUPS) {
    await convert<Kept>(
      knex,
      table,
      `SELECT project_id, owner AS ${owner}, dimension, event, step, bucket,
              array_agg(counts) AS counts, array_agg(quarters) AS quarters
         FROM (SELECT * FROM kept_counts UNION ALL ${months}) AS kept
        WHERE is_record = ${isRecord} GROUP BY 1, 2, 3, 4, 5, 6`,
      ({ counts, quarters, ...key }) => {
        const sums = added(counts.map(unpack));
        if (sums.size === 0) return [];
        // With some that are not by quarter-hour, the others would be incomplete.
        const ofAll = quarters.flatMap((one) => (one === null ? [] : [unpack(one)]));
        const isWhole = ofAll.length === quarters.length;
        return [{ ...key, counts: pack(sums), quarters: isWhole ? pack(added(ofAll)) : null }];
      },
    );
  }
  // Adding `interval '1 month'` would depend on the time zone of the session.
  await knex.raw(`
    UPDATE workspaces w SET events_from = greatest(events_from, kept.until)
      FROM (SELECT project_id, date_trunc('month', max(bucket) + interval '32 days', 'UTC') AS until
              FROM kept_counts WHERE step = 'm' GROUP BY 1) AS kept
     WHERE kept.project_id = w.id`);
  // The previous version derives nothing from events before that time.
  await convert<Late>(knex, 'rollup_deltas', LATE, ({ ids, counts, amounts, ...late }) => {
    const { day, month: _, ...key } = late;
    const sums = storedSums(late, { ids, counts, amounts }, 1n);
    return [{ ...key, bucket: day, counts: pack(sums) }];
  });
  await knex.raw(`
    INSERT INTO rollup_rebuilds (project_id) SELECT id FROM workspaces
      ON CONFLICT (project_id) DO UPDATE SET requested_at = now(), rebuilt_until = NULL;
    DROP TRIGGER event_blocks_emptied ON event_blocks;
    DROP FUNCTION leave_block_sum();
    ALTER TABLE event_blocks DROP COLUMN sum_id;
    DROP TABLE event_block_counts, event_block_sums, events_stored, kept_counts`);
}
