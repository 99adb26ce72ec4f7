import { type Db, db, execute, rows } from '../../../infra/db.ts';
import { COLUMNS } from '../../columns.ts';
import { insertEvents } from '../postgres/append.ts';
import { addDeltas, type TimedEvent } from '../postgres/deltas.ts';
import { emptyBlocksOf } from '../postgres/empty-blocks.ts';
import { shareEvents } from '../postgres/rollups.ts';
import type { ListedEvent } from '../store.ts';
import type { ClickHouse } from './connection.ts';
import { deleteErased } from './erase.ts';
import { moveEvents } from './move.ts';
import { deleteKept, lockRetained } from './retention.ts';
import { EMPTY, EVENT_COLUMNS, MOVED_KINDS, type StoredRow, toEvent } from './schema.ts';

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

/** Moves events to the outbox, and subtracts them from rollups. */
async function putInOutbox(trx: Db, projectId: string): Promise<number> {
  await shareEvents(trx, [projectId]);
  const names = Object.keys(COLUMNS).join(', ');
  const deleted = await rows<TimedEvent & { isRolled: boolean | null }>(
    trx,
    `WITH gone AS (
       DELETE FROM events WHERE (project_id, event, occurred_at, id) IN (
         SELECT project_id, event, occurred_at, id FROM events
          WHERE project_id = :projectId AND event = ANY(:kinds)
            ${EMPTY.map((name) => `AND ${name} IS NULL`).join(' ')} LIMIT ${CHUNK})
       RETURNING *),
     added AS (INSERT INTO event_outbox (${names}) SELECT ${names} FROM gone)
     SELECT g.*, g.occurred_at >= c.rolled_from AS "isRolled"
       FROM gone g LEFT JOIN counters c ON c.project_id = g.project_id AND c.record_id = g.link_id`,
    { projectId, kinds: MOVED_KINDS },
  );
  await emptyBlocksOf(trx, deleted);
  await addDeltas(trx, 'domain', deleted, { sign: -1 });
  const ofRecords = deleted.filter(({ isRolled }) => isRolled === true);
  await addDeltas(trx, 'record', ofRecords, { sign: -1 });
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
  await shareEvents(trx, [projectId]);
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
  await addDeltas(trx, 'domain', events);
  const rolled = await rows<{ id: string; from: Date }>(
    trx,
    `SELECT record_id AS id, rolled_from AS from FROM counters
      WHERE project_id = :projectId AND record_id = ANY(:ids) AND rolled_from IS NOT NULL`,
    { projectId, ids: [...new Set(events.flatMap(({ link_id }) => link_id ?? []))] },
  );
  const rolledFrom = new Map<string | null, Date>(rolled.map(({ id, from }) => [id, from]));
  const ofRecords = events.filter(({ link_id, occurred_at }) => {
    const from = rolledFrom.get(link_id);
    return from !== undefined && new Date(occurred_at) >= from;
  });
  await addDeltas(trx, 'record', ofRecords);
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
