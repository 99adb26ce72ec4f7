import { Counts, readCounts } from '../../src/events/store/postgres/counts.ts';
import { QUARTERS } from '../../src/events/store/postgres/rollups.ts';
import type { Amount } from '../../src/events/store/postgres/varints.ts';
import type { Knex } from '../../src/infra/db.ts';

/** Decodes counts in the format of rollups. */
export function unpacked(packed: Buffer): Counts {
  const counts = new Counts();
  readCounts(packed, (id, count, amount) => counts.add(id, count, amount));
  return counts;
}

/** Returns the counts in the format of rollups, each with its id. */
export function entriesOf(packed: Buffer): [id: number, count: number, amount: Amount][] {
  const counts = unpacked(packed);
  return Array.from(counts.ids(), (id) => [id, counts.count(id), counts.amount(id)]);
}

/**
 * Returns the counts in the daily rollups of a workspace for the values of a dimension, including
 * additions that are not merged yet; for `all`, the only value is empty.
 */
export async function rolledUp(
  database: Knex,
  projectId: string,
  dimension: string,
): Promise<Map<string, number>> {
  const { rows } = await database.raw<{ rows: { counts: Buffer; isAdded: boolean }[] }>(
    `SELECT counts, false AS "isAdded" FROM rollups WHERE project_id = :projectId AND dimension = :dimension AND step = 'd'
      UNION ALL
     SELECT counts, true FROM rollup_deltas WHERE project_id = :projectId AND dimension = :dimension AND NOT is_record`,
    { projectId, dimension },
  );
  const sums = new Counts();
  for (const { counts, isAdded } of rows) {
    for (const [id, count] of entriesOf(counts)) {
      sums.add(isAdded ? Math.floor(id / QUARTERS) : id, count);
    }
  }
  const values = await database('event_values').where({ project_id: projectId, dimension });
  const valueOf = new Map([[0, ''], ...values.map(({ id, value }) => [id, value] as const)]);
  return new Map(Array.from(sums.ids(), (id) => [valueOf.get(id)!, sums.count(id)]));
}
