import { type Db, db, execute, rows } from '../../../infra/db.ts';
import { COLUMNS } from '../../columns.ts';
import { insertEvents, noteStored } from '../postgres/append.ts';
import { emptyBlocksOf } from '../postgres/empty-blocks.ts';
import type { ListedEvent } from '../store.ts';
import type { ClickHouse } from './connection.ts';
import { deleteErased } from './erase.ts';
import { moveEvents } from './move.ts';
import { deleteKept, lockRetained } from './retention.ts';
import { EMPTY, EVENT_COLUMNS, MOVED_STORED_KINDS, type StoredRow, toEvent } from './schema.ts';

/** Number of events moved per transaction. */
const CHUNK = 20_000;

/**
 * Moves all visits of a workspace from Postgres to ClickHouse. Query results do not change
 * meanwhile, and the next run continues an interrupted one.
 *
 * @returns the number of visits
 */
export async function moveToClickHouse(clickhouse: ClickHouse, projectId: string): Promise<number> {
  for (let moved = 0; ; ) {
    const count = await db().transaction((trx) => putInOutbox(trx, projectId));
    moved += count;
    await moveEvents(clickhouse);
    if (count < CHUNK) return moved;
  }
}

/** Moves events to the outbox. */
async function putInOutbox(trx: Db, projectId: string): Promise<number> {
  const names = Object.keys(COLUMNS).join(', ');
  const deleted = await rows<{ project_id: string; occurred_at: Date }>(
    trx,
    `WITH gone AS (
       DELETE FROM events WHERE (project_id, event, occurred_at, id) IN (
         SELECT project_id, event, occurred_at, id FROM events
          WHERE project_id = :projectId AND event = ANY(:kinds)
            ${EMPTY.map((name) => `AND ${name} IS NULL`).join(' ')} LIMIT ${CHUNK})
       RETURNING *),
     added AS (INSERT INTO event_outbox (${names}) SELECT ${names} FROM gone)
     SELECT project_id, occurred_at FROM gone`,
    { projectId, kinds: MOVED_STORED_KINDS },
  );
  await emptyBlocksOf(trx, deleted);
  return deleted.length;
}

/**
 * Moves all visits of a workspace from ClickHouse to Postgres, in the same way as
 * {@link moveToClickHouse}. Visits stored meanwhile are moved too if the workers no longer have
 * EVENTS_URL.
 *
 * @returns the number of visits
 */
export async function moveToPostgres(clickhouse: ClickHouse, projectId: string): Promise<number> {
  await moveEvents(clickhouse);
  await deleteKept(clickhouse);
  let moved = 0;
  for (let count = -1; count !== 0; moved += count) {
    count = await db().transaction((trx) => takeBack(clickhouse, trx, projectId));
  }
  await deleteKept(clickhouse);
  // Once EVENTS_URL is unset, no worker would delete erased visits.
  await deleteErased(clickhouse);
  return moved;
}

/**
 * Stores the oldest ClickHouse events in Postgres, from when on they no longer count in ClickHouse.
 */
async function takeBack(clickhouse: ClickHouse, trx: Db, projectId: string): Promise<number> {
  const { counting, settledBatch, keptUntil } = await lockRetained(trx, projectId);
  const settled = `${counting} AND batch <= ${settledBatch}`;
  const [last] = await clickhouse.rows<{ n: string | number; at: string | number }>(
    `SELECT count() AS n, max(at) AS at FROM (SELECT at FROM events WHERE ${settled} ORDER BY at LIMIT ${CHUNK})`,
  );
  if (Number(last!.n) === 0) return 0;
  // Includes all events of the last time, and late ones from times that an earlier run has moved.
  const until = Math.max(Number(last!.at) + 1, keptUntil);
  const oldest = await clickhouse.rows<StoredRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE ${settled} AND at < ${until}`,
  );
  const events = oldest.map((row) => toStorable(toEvent(row)));
  await insertEvents(trx, events, COLUMNS);
  await emptyBlocksOf(trx, events);
  await noteStored(trx, [[projectId, events.length]]);
  await execute(
    trx,
    `UPDATE event_retention SET kept_until = 'epoch'::timestamptz + :until * interval '1 microsecond',
            kept_batch = :settledBatch, is_deleted = false WHERE project_id = :projectId`,
    { projectId, until, settledBatch },
  );
  return events.length;
}

/** Converts an event to a row whose time has the precision of ClickHouse. */
function toStorable({ atMicros, ...event }: ListedEvent) {
  const micros = String(atMicros % 1000).padStart(3, '0');
  return { ...event, occurred_at: event.occurred_at.toISOString().replace('Z', `${micros}Z`) };
}
