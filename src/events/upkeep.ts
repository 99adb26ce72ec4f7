import { db } from '../infra/db.ts';

/** Months ahead for which partitions are there, so that no visit waits for one. */
const MONTHS_AHEAD = 3;
const CHUNK = 20_000;

/** Makes the partitions of the months to come. */
export async function ensurePartitions(): Promise<undefined> {
  await db().raw(
    `SELECT ensure_events_partition((current_date + make_interval(months => ahead))::date)
       FROM generate_series(-1, ?::int) AS ahead`,
    [MONTHS_AHEAD],
  );
  return undefined;
}

/** Deletes guards of visits whose repeats can't come any more, in bites that hold no lock for long. */
export async function pruneVisitGuards(): Promise<undefined> {
  for (;;) {
    const { rowCount } = await db().raw<{ rowCount: number }>(
      `DELETE FROM visit_guards WHERE id IN
        (SELECT id FROM visit_guards WHERE expires_at < now() LIMIT ?)`,
      [CHUNK],
    );
    if (rowCount < CHUNK) return undefined;
  }
}
