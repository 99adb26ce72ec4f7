import { db, execute } from '../../../infra/db.ts';
import { pruneRejected } from '../../ingest/rejected-visits.ts';
import { withShortLocks } from './short-locks.ts';

/** Number of months for which partitions are created in advance, so that no visit waits for one. */
const MONTHS_AHEAD = 3;
const CHUNK = 20_000;

/**
 * Creates the partitions of the next months, and moves their events out of the default partition.
 */
export async function ensurePartitions(): Promise<void> {
  for (let ahead = -1; ahead <= MONTHS_AHEAD; ahead += 1) {
    await withShortLocks((trx) =>
      execute(
        trx,
        'SELECT ensure_events_partition((current_date + make_interval(months => ?::int))::date)',
        [ahead],
      ),
    );
  }
}

/**
 * Deletes expired guards of visits, in chunks that hold locks only briefly, and rejected visits
 * past their retention.
 */
export async function pruneVisitGuards(): Promise<void> {
  for (;;) {
    const rowCount = await execute(
      db(),
      `DELETE FROM visit_guards WHERE id IN
        (SELECT id FROM visit_guards WHERE expires_at < now() LIMIT ?)`,
      [CHUNK],
    );
    if (rowCount < CHUNK) break;
  }
  await pruneRejected();
}
