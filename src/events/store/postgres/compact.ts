import { type Db, db, execute, rows } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import type { DimensionName } from '../../dimensions.ts';
import { Counts, readCounts } from './counts.ts';
import { eachWorkspace } from './each-workspace.ts';
import { isFineIn, lockRollups, QUARTERS, type Scope, TABLES } from './rollups.ts';

/** Number of additions merged per transaction; a batch of visits makes about fifteen. */
const CHUNK = 2_000;

/**
 * Merges additions to rollups into their rows.
 *
 * @returns the number of events that were added, by workspace
 */
export async function compactRollups(log: Log): Promise<ReadonlyMap<string, number>> {
  const projects = await rows<{ id: string }>(
    db(),
    // Skips through the index from one workspace to the next, instead of reading all additions.
    `WITH RECURSIVE pending AS (
       (SELECT project_id AS id FROM rollup_deltas ORDER BY project_id LIMIT 1)
       UNION ALL
       SELECT (SELECT project_id FROM rollup_deltas WHERE project_id > pending.id ORDER BY project_id LIMIT 1)
         FROM pending WHERE pending.id IS NOT NULL)
     SELECT id FROM pending WHERE id IS NOT NULL`,
  );
  const merged = new Map<string, number>();
  await eachWorkspace(
    projects,
    async ({ id }) => {
      merged.set(id, await mergeDeltas(db(), id));
    },
    log,
  );
  return merged;
}

/**
 * Merges the additions of one workspace, in several transactions.
 *
 * @returns the number of events that were added
 */
export async function mergeDeltas(connection: Db, projectId: string): Promise<number> {
  let events = 0;
  for (const scope of ['domain', 'record'] as const) {
    for (;;) {
      const merged = await connection.transaction(async (trx) => {
        await lockRollups(trx, projectId);
        return mergeChunk(trx, scope, projectId);
      });
      if (scope === 'domain') events += merged.events;
      if (merged.rows < CHUNK) break;
    }
  }
  return events;
}

/** Columns that identify a row of rollups within its workspace. */
interface Key {
  owner: string;
  dimension: DimensionName;
  event: string;
  step: 'd' | 'm';
  /** Start of the period, in seconds since 1970. */
  bucket: number;
}

/** A row of rollups that receives additions. */
interface TouchedRow {
  key: Key;
  counts: Counts;
  /** Absent if the row has none. */
  quarters?: Counts;
}

const BUCKET = 'extract(epoch FROM bucket)::float8 AS bucket';

/** @returns the number of additions that were merged, and of events that they count */
async function mergeChunk(
  trx: Db,
  scope: Scope,
  projectId: string,
): Promise<{ rows: number; events: number }> {
  const deltas = await rows<Omit<Key, 'step'> & { month: number; counts: Buffer }>(
    trx,
    `DELETE FROM rollup_deltas WHERE id IN (
       SELECT id FROM rollup_deltas WHERE project_id = ? AND is_record = ? ORDER BY id LIMIT ${CHUNK})
     RETURNING owner, dimension, event, ${BUCKET},
               extract(epoch FROM date_trunc('month', bucket, 'UTC'))::float8 AS month, counts`,
    [projectId, scope === 'record'],
  );
  let events = 0;
  const touched = new Map<string, TouchedRow>();
  const touch = (key: Key): TouchedRow => {
    const name = nameOf(key);
    let row = touched.get(name);
    if (row === undefined) {
      row = { key, counts: new Counts() };
      if (key.step === 'd' && isFineIn(scope, key.dimension)) row.quarters = new Counts();
      touched.set(name, row);
    }
    return row;
  };
  for (const { owner, dimension, event, bucket, month, counts } of deltas) {
    const owned = { owner, dimension, event };
    const day = touch({ ...owned, step: 'd', bucket });
    const ofMonth = touch({ ...owned, step: 'm', bucket: month });
    const { quarters } = day;
    readCounts(counts, (id, count, amount) => {
      quarters?.add(id, count, amount);
      const value = quarters === undefined ? id : Math.floor(id / QUARTERS);
      day.counts.add(value, count, amount);
      ofMonth.counts.add(value, count, amount);
      if (dimension === 'all') events += Math.max(count, 0);
    });
  }
  await addStored(trx, scope, projectId, touched);
  await store(trx, scope, projectId, [...touched.values()]);
  return { rows: deltas.length, events };
}

const nameOf = ({ owner, dimension, event, step, bucket }: Key): string =>
  `${owner}\n${dimension}\n${event}\n${step}${bucket}`;

/** Adds the stored counts of the rows. */
async function addStored(
  trx: Db,
  scope: Scope,
  projectId: string,
  touched: ReadonlyMap<string, TouchedRow>,
): Promise<void> {
  const { table, key } = TABLES[scope];
  const storedRows = await rows<Key & { counts: Buffer; quarters: Buffer | null }>(
    trx,
    `SELECT r.${key} AS owner, r.dimension, r.event, r.step, t.seconds AS bucket, r.counts, r.quarters
       FROM ${table} r JOIN ${KEYS} ON ${isRow(key)}`,
    { projectId, ...keysOf([...touched.values()]) },
  );
  for (const { counts, quarters, ...stored } of storedRows) {
    const row = touched.get(nameOf(stored))!;
    readCounts(counts, (id, count, amount) => row.counts.add(id, count, amount));
    // Days counted by an earlier version have none, and the additions since would be incomplete.
    if (quarters === null) delete row.quarters;
    else readCounts(quarters, (id, count, amount) => row.quarters!.add(id, count, amount));
  }
}

const KEYS = `unnest(:owners::text[], :dimensions::text[], :events::text[], :steps::text[], :buckets::float8[])
         AS t(owner, dimension, event, step, seconds)`;
const isRow = (key: string) =>
  `r.project_id = :projectId AND r.${key} = t.owner AND r.dimension = t.dimension AND r.event = t.event
        AND r.step = t.step::"char" AND r.bucket = to_timestamp(t.seconds)`;

const keysOf = (touched: readonly TouchedRow[]) => ({
  owners: touched.map(({ key }) => key.owner),
  dimensions: touched.map(({ key }) => key.dimension),
  events: touched.map(({ key }) => key.event),
  steps: touched.map(({ key }) => key.step),
  buckets: touched.map(({ key }) => key.bucket),
});

/** Writes rows of rollups; rows without counts are deleted. */
async function store(
  trx: Db,
  scope: Scope,
  projectId: string,
  touched: readonly TouchedRow[],
): Promise<void> {
  const { table, key } = TABLES[scope];
  const packed = touched.map((row) => ({ row, counts: row.counts.pack() }));
  const empty = packed.flatMap(({ row, counts }) => (counts === undefined ? [row] : []));
  if (empty.length > 0) {
    await execute(trx, `DELETE FROM ${table} r USING ${KEYS} WHERE ${isRow(key)}`, {
      projectId,
      ...keysOf(empty),
    });
  }
  const full = packed.filter(({ counts }) => counts !== undefined);
  if (full.length === 0) return;
  await execute(
    trx,
    `INSERT INTO ${table} (project_id, ${key}, dimension, event, step, bucket, counts, quarters)
     SELECT :projectId::text, t.owner, t.dimension, t.event, t.step::"char", to_timestamp(t.seconds), t.counts, t.quarters
       FROM unnest(:owners::text[], :dimensions::text[], :events::text[], :steps::text[], :buckets::float8[],
                   :counts::bytea[], :quarters::bytea[])
         AS t(owner, dimension, event, step, seconds, counts, quarters)
     ON CONFLICT (project_id, ${key}, dimension, event, step, bucket)
       DO UPDATE SET counts = excluded.counts, quarters = excluded.quarters`,
    {
      projectId,
      ...keysOf(full.map(({ row }) => row)),
      counts: full.map(({ counts }) => counts!),
      quarters: full.map(({ row }) => row.quarters?.pack() ?? null),
    },
  );
}
