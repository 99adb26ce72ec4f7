import { copyOut } from '../../../infra/copy.ts';
import { db, execute, rows } from '../../../infra/db.ts';
import type { ClickHouse } from './connection.ts';
import { OUTBOX_VALUES, STORED_COLUMNS } from './schema.ts';
import { whileLocked } from './table.ts';

/** Number of events moved at a time. ClickHouse prefers few large inserts. */
const BATCH = 100_000;

/**
 * Version of batches. The database refuses earlier ones, in which previous releases would move
 * events without the marks of visitors and the reasons of suspects.
 */
const BATCH_FORMAT = 3;

/** Age after which an unfinished batch counts as failed; no insert takes this long. */
const FAILED_AFTER = '1 hour';

/** Servers whose batches are known to belong to this database. */
const checked = new WeakSet<ClickHouse>();

/**
 * Checks that the batches of a server belong to this database. Postgres records which batches
 * count, and would accept foreign ones after an older backup was restored, or if another
 * installation used the same ClickHouse.
 *
 * @throws Error when ClickHouse has batches that this database has not begun
 */
async function checkBatches(clickhouse: ClickHouse): Promise<void> {
  if (checked.has(clickhouse)) return;
  const [newest] = await clickhouse.rows<{ last: string | number }>(
    'SELECT max(batch) AS last FROM events',
  );
  const [lastBegun] = await rows<{ last: number }>(
    db(),
    'SELECT last_batch AS last FROM event_outbox_state',
  );
  if (Number(newest!.last) > lastBegun!.last) {
    throw new Error(
      `ClickHouse has batches up to ${newest!.last}, and this database has begun ${lastBegun!.last}: events of later batches must be deleted (docs/clickhouse.md)`,
    );
  }
  checked.add(clickhouse);
}

/** Moves all events of the outbox to ClickHouse, in one process at a time. */
export async function moveEvents(clickhouse: ClickHouse): Promise<void> {
  for (;;) {
    const moved = await whileLocked(async () => {
      // The process that began it has ended, or lost the lock and cannot commit any more.
      await execute(db(), 'UPDATE event_batches SET is_failed = true WHERE NOT is_failed');
      return moveBatch(clickhouse);
    });
    if (moved < BATCH) return;
  }
}

/**
 * Moves the oldest events of the outbox. Each attempt is a batch of its own, whose rows count only
 * once its events have left the outbox, so rows of a failed attempt never count.
 *
 * @throws Error when some of the events were erased meanwhile
 */
async function moveBatch(clickhouse: ClickHouse): Promise<number> {
  const waiting = await rows(db(), 'SELECT FROM event_outbox LIMIT 1');
  if (waiting.length === 0) return 0;
  // No batch is begun while a server is down, because its rows would have to be deleted.
  await clickhouse.checkForInsert();
  await checkBatches(clickhouse);
  // Committed before the first of its rows becomes visible.
  const [batchRow] = await rows<{ id: number }>(
    db(),
    `WITH next AS (UPDATE event_outbox_state SET last_batch = last_batch + 1 RETURNING last_batch)
     INSERT INTO event_batches (id, format) SELECT last_batch, ${BATCH_FORMAT} FROM next RETURNING id`,
  );
  const { id: batch } = batchRow!;
  // All statements see the same events; deleting one that was erased since is an error.
  return db().transaction(
    async (trx) => {
      const [oldest] = await rows<{ last: number | null }>(
        trx,
        `SELECT max(seq) AS last FROM (SELECT seq FROM event_outbox ORDER BY seq LIMIT ${BATCH}) AS oldest`,
      );
      const last = oldest!.last ?? 0;
      await copyOut(trx, OUTBOX_VALUES, { batch, last }, (text) =>
        clickhouse.insert('events', STORED_COLUMNS, text),
      );
      const moved = await execute(trx, 'DELETE FROM event_outbox WHERE seq <= ?', [last]);
      const sql = 'DELETE FROM event_batches WHERE id = ? AND NOT is_failed';
      if ((await execute(trx, sql, [batch])) === 0) throw new Error(`batch ${batch} took too long`);
      return moved;
    },
    { isolationLevel: 'repeatable read' },
  );
}

/** Deletes the rows that failed batches have stored in ClickHouse. */
export async function deleteFailedBatches(clickhouse: ClickHouse): Promise<void> {
  const failed = await rows<{ id: number }>(
    db(),
    `UPDATE event_batches SET is_failed = true WHERE begun_at < now() - interval '${FAILED_AFTER}' RETURNING id`,
  );
  if (failed.length === 0) return;
  const ids = failed.map(({ id }) => id);
  await clickhouse.delete('events', `batch IN (${ids.join(', ')})`);
  await execute(db(), 'DELETE FROM event_batches WHERE id = ANY(?)', [ids]);
}
