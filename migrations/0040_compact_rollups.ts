import type { Knex } from 'knex';

/** Dimensions that were counted by quarters of an hour, of domains and of single records. */
const FINE = {
  domain: new Set(['all', 'country', 'device', 'browser', 'os']),
  record: new Set(['all']),
};
/** Tables of rollups, the column of their owner, and their primary keys. */
const TABLES = [
  ['rollups', 'domain', 'project_id, dimension, event, step, bucket, domain'],
  ['record_rollups', 'record_id', 'project_id, record_id, dimension, event, step, bucket'],
] as const;
const QUARTERS = 96n;
/** Rows that are converted at a time. */
const CHUNK = 500;

/** The count and the amount of an id. */
type Sums = Map<bigint, [count: bigint, amount: bigint]>;

interface OldRow {
  ids: string[];
  counts: string[];
  amounts: (string | null)[] | null;
}
interface NewRow {
  counts: Buffer;
  quarters?: Buffer | null;
}

/** What follows from events is derived from them again; rollups of events that retention has deleted are converted. */
export async function up(knex: Knex): Promise<void> {
  for (const [table, owner, key] of TABLES) {
    await knex.raw(`
      ALTER TABLE ${table} RENAME TO old_${table};
      ALTER INDEX ${table}_pkey RENAME TO old_${table}_pkey;
      -- Counts of the values of a dimension in one period, by the ids of the values: days and months of UTC. The format of
      -- bytes is described in src/events/store/postgres/counts.ts.
      CREATE TABLE ${table} (
        project_id text COLLATE "C" NOT NULL,
        ${owner} text COLLATE "C" NOT NULL,
        dimension text COLLATE "C" NOT NULL,
        event text COLLATE "C" NOT NULL,
        step "char" NOT NULL CHECK (step IN ('d', 'm')),
        bucket timestamptz NOT NULL,
        counts bytea NOT NULL,
        -- Of days, by the id times 96 plus the quarter of an hour; NULL where they are not counted.
        quarters bytea,
        PRIMARY KEY (${key})
      );
      -- Compressed already.
      ALTER TABLE ${table} ALTER COLUMN counts SET STORAGE EXTERNAL, ALTER COLUMN quarters SET STORAGE EXTERNAL`);
    const isFine = FINE[owner === 'domain' ? 'domain' : 'record'];
    await convert<OldRow & { dimension: string; step: string }>(
      knex,
      table,
      `SELECT r.*, r.ids::text[] AS ids, r.counts::text[] AS counts, r.amounts::text[] AS amounts
         FROM old_${table} r JOIN workspaces w ON w.id = r.project_id WHERE r.bucket < w.events_from`,
      ({ ids, counts, amounts, ...row }) => {
        const sums = sumsOf({ ids, counts, amounts });
        const hasQuarters = row.step === 'd' && isFine.has(row.dimension);
        return hasQuarters
          ? { ...row, counts: pack(byValue(sums)), quarters: pack(sums) }
          : { ...row, counts: pack(sums), quarters: null };
      },
    );
    await knex.raw(`DROP TABLE old_${table}`);
  }
  await knex.raw(`
    ALTER TABLE rollup_deltas RENAME TO old_rollup_deltas;
    ALTER TABLE old_rollup_deltas DROP CONSTRAINT rollup_deltas_pkey;
    DROP INDEX rollup_deltas_dimension;
    ALTER SEQUENCE rollup_deltas_id_seq RENAME TO old_rollup_deltas_id_seq;
    -- What was added to the days of rollups and is not merged into them yet.
    CREATE TABLE rollup_deltas (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id text COLLATE "C" NOT NULL,
      is_record boolean NOT NULL,
      owner text COLLATE "C" NOT NULL,
      dimension text COLLATE "C" NOT NULL,
      event text COLLATE "C" NOT NULL,
      bucket timestamptz NOT NULL,
      -- By quarters of an hour where the rollups have them too.
      counts bytea NOT NULL
    );
    CREATE INDEX rollup_deltas_dimension ON rollup_deltas (project_id, is_record, dimension)`);
  // Of domains, events that are deleted add nothing.
  await convert<OldRow>(
    knex,
    'rollup_deltas',
    `SELECT r.project_id, r.is_record, r.owner, r.dimension, r.event, r.bucket,
            r.ids::text[] AS ids, r.counts::text[] AS counts, r.amounts::text[] AS amounts
       FROM old_rollup_deltas r JOIN workspaces w ON w.id = r.project_id
      WHERE r.bucket < w.events_from AND r.is_record`,
    ({ ids, counts, amounts, ...row }) => ({
      ...row,
      counts: pack(sumsOf({ ids, counts, amounts })),
    }),
  );
  await knex.raw(`
    DROP TABLE old_rollup_deltas;
    INSERT INTO rollup_rebuilds (project_id) SELECT id FROM workspaces
      ON CONFLICT (project_id) DO UPDATE SET requested_at = now(), rebuilt_until = NULL`);
}

export async function down(knex: Knex): Promise<void> {
  for (const [table, owner, key] of TABLES) {
    await knex.raw(`
      ALTER TABLE ${table} RENAME TO old_${table};
      ALTER INDEX ${table}_pkey RENAME TO old_${table}_pkey;
      CREATE TABLE ${table} (
        project_id text COLLATE "C" NOT NULL,
        ${owner} text COLLATE "C" NOT NULL,
        dimension text COLLATE "C" NOT NULL,
        event text COLLATE "C" NOT NULL,
        step "char" NOT NULL CHECK (step IN ('d', 'm')),
        bucket timestamptz NOT NULL,
        ids bigint[] NOT NULL,
        counts bigint[] NOT NULL,
        amounts bigint[],
        PRIMARY KEY (${key})
      );
      ALTER TABLE ${table} ALTER COLUMN ids SET STORAGE EXTERNAL, ALTER COLUMN counts SET STORAGE EXTERNAL,
        ALTER COLUMN amounts SET STORAGE EXTERNAL`);
    const isFine = FINE[owner === 'domain' ? 'domain' : 'record'];
    await convert<NewRow & { dimension: string; step: string }>(
      knex,
      table,
      `SELECT * FROM old_${table}`,
      ({ counts, quarters, ...row }) => ({
        ...row,
        ...arraysOf(unpack(row.step === 'd' && isFine.has(row.dimension) ? quarters! : counts)),
      }),
    );
    await knex.raw(`DROP TABLE old_${table}`);
  }
  await knex.raw(`
    ALTER TABLE rollup_deltas RENAME TO old_rollup_deltas;
    ALTER TABLE old_rollup_deltas DROP CONSTRAINT rollup_deltas_pkey;
    DROP INDEX rollup_deltas_dimension;
    ALTER SEQUENCE rollup_deltas_id_seq RENAME TO old_rollup_deltas_id_seq;
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
    CREATE INDEX rollup_deltas_dimension ON rollup_deltas (project_id, is_record, dimension)`);
  await convert<NewRow & { dimension: string; is_record: boolean }>(
    knex,
    'rollup_deltas',
    'SELECT project_id, is_record, owner, dimension, event, bucket, counts FROM old_rollup_deltas',
    ({ counts, ...row }) => {
      const sums = unpack(counts);
      const isByValue = !row.is_record && !FINE.domain.has(row.dimension);
      return { ...row, ...arraysOf(isByValue ? byValue(sums) : sums) };
    },
  );
  await knex.raw('DROP TABLE old_rollup_deltas');
}

/** Inserts the rows of a query, each made into a new one. */
async function convert<Row extends object>(
  knex: Knex,
  table: string,
  query: string,
  made: (row: Row) => object,
): Promise<void> {
  await knex.raw(`DECLARE converted NO SCROLL CURSOR FOR ${query}`);
  for (;;) {
    const { rows } = await knex.raw<{ rows: Row[] }>(`FETCH ${CHUNK} FROM converted`);
    if (rows.length === 0) break;
    await knex(table).insert(rows.map(made));
  }
  await knex.raw('CLOSE converted');
}

function sumsOf({ ids, counts, amounts }: OldRow): Sums {
  return new Map(
    ids.map((id, at) => [BigInt(id), [BigInt(counts[at]!), BigInt(amounts?.[at] ?? 0)]]),
  );
}

/** Counts of values, of those of their quarters of an hour. */
function byValue(quarters: Sums): Sums {
  const sums: Sums = new Map();
  for (const [id, [count, amount]] of quarters) {
    const value = id / QUARTERS;
    const [n, cents] = sums.get(value) ?? [0n, 0n];
    sums.set(value, [n + count, cents + amount]);
  }
  return sums;
}

/** Postgres has no larger number than this. */
const LARGEST = 2n ** 63n - 1n;

function arraysOf(sums: Sums) {
  const entries = sorted(sums);
  const amounts = entries.map(([, [, amount]]) => String(amount < LARGEST ? amount : LARGEST));
  return {
    ids: entries.map(([id]) => String(id)),
    counts: entries.map(([, [count]]) => String(count)),
    amounts: amounts.some((amount) => amount !== '0') ? amounts : null,
  };
}

const sorted = (sums: Sums) => [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));

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
  for (const [id, [count, amount]] of sorted(sums)) {
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
