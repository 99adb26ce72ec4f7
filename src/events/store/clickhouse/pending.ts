import { type CopyValue, copyInto } from '../../../infra/copy.ts';
import { type Db, db, rows, type SqlValue } from '../../../infra/db.ts';
import { COLUMNS } from '../../columns.ts';
import type { EventRow } from '../../event.ts';
import type { ListedEvent } from '../store.ts';
import { isOneOf, literal } from './connection.ts';

/*
 * Events are stored in Postgres first, in `event_outbox`, by the transaction that counts them. The
 * worker moves them to ClickHouse in batches (`move.ts`). ClickHouse has no transactions, so
 * Postgres records which of its rows count:
 *
 *   event_outbox_state.last_batch   the last batch that was begun
 *   event_batches                   batches that are being moved, or failed: their events are in the
 *                                   outbox. Rows of a failed batch never count, even if they are
 *                                   stored later
 *   event_retention                 events before `kept_until`, of batches up to `kept_batch`, are in
 *                                   Postgres, or their counts are; they are to be deleted
 *   event_erasures                  events of these links and QR codes, of batches up to `batch`, are
 *                                   deleted
 *
 * One statement reads the first three and the outbox, so that each event is counted once whatever
 * the worker has moved.
 */

const NAMES = Object.keys(COLUMNS) as (keyof EventRow)[];

/** SQL of the columns of an event `e` of the outbox, with its time in microseconds. */
export const OUTBOX_COLUMNS = `${NAMES.map((name) => `e.${name}`).join(', ')},
  (extract(epoch FROM e.occurred_at) * 1000000)::bigint AS "atMicros"`;

/** Adds events to the outbox. */
export async function addToOutbox(trx: Db, events: readonly EventRow[]): Promise<void> {
  await copyInto(
    trx,
    'event_outbox',
    NAMES,
    events.map((event) => NAMES.map((name) => event[name] as CopyValue)),
  );
}

/** The ClickHouse rows that count, and the events that are not there yet. */
export interface Pending {
  /** Events of the outbox. */
  events: ListedEvent[];
  /** ClickHouse SQL that is true for the rows of the workspace that count. */
  counting: string;
  /** The last batch before which no batch is being moved. */
  settledBatch: number;
  /** Microseconds since 1970. Events before it are in Postgres, except those of newer batches. */
  keptUntil: number;
}

interface PendingRow {
  lastBatch: number;
  batches: (string | number)[];
  moving: string | number | null;
  keptUntil: number | null;
  keptBatch: number | null;
}

/**
 * Reads what a query of ClickHouse has to know.
 *
 * @param condition SQL that selects events `e` of the outbox
 */
export async function readPending(
  projectId: string,
  condition: string,
  bindings: Readonly<Record<string, SqlValue>> = {},
  connection: Db = db(),
): Promise<Pending> {
  // Read first, because erasures that are complete are removed from the list later.
  const erasures = await rows<{ batch: number; ids: string[] }>(
    connection,
    `SELECT batch, array_agg(record_id) AS ids FROM event_erasures WHERE project_id = :projectId GROUP BY batch`,
    { projectId },
  );
  const pendingRows = await rows<PendingRow & (ListedEvent | { id: null })>(
    connection,
    `SELECT s.last_batch AS "lastBatch", ARRAY(SELECT id FROM event_batches) AS batches,
            (SELECT min(id) FROM event_batches WHERE NOT is_failed) AS moving,
            (extract(epoch FROM r.kept_until) * 1000000)::bigint AS "keptUntil", r.kept_batch AS "keptBatch",
            ${OUTBOX_COLUMNS}
       FROM event_outbox_state s
       LEFT JOIN event_retention r ON r.project_id = :projectId
       LEFT JOIN event_outbox e ON e.project_id = :projectId AND ${condition}`,
    { ...bindings, projectId },
  );
  const { lastBatch, batches, moving, keptUntil, keptBatch } = pendingRows[0]!;
  const events = pendingRows.flatMap(
    ({ lastBatch: _, batches: __, moving: ___, keptUntil: ____, keptBatch: _____, ...event }) =>
      event.id === null ? [] : [event as ListedEvent],
  );
  const open = batches.map(Number);
  // The newest batches are often unfinished, and each condition takes time.
  let last = lastBatch;
  while (open.includes(last)) last -= 1;
  const conditions = [
    `project_id = ${literal(projectId)}`,
    `batch <= ${last}`,
    ...open.filter((batch) => batch <= last).map((batch) => `batch != ${batch}`),
    ...(keptUntil === null ? [] : [`(at >= ${keptUntil} OR batch > ${keptBatch})`]),
    ...erasures.map(({ batch, ids }) => `(batch > ${batch} OR NOT ${isOneOf('link_id', ids)})`),
  ];
  return {
    events,
    counting: conditions.join(' AND '),
    keptUntil: keptUntil ?? 0,
    settledBatch: moving === null ? lastBatch : Number(moving) - 1,
  };
}
