import { type CopyValue, copyInto } from '../../../infra/copy.ts';
import { type Db, execute } from '../../../infra/db.ts';
import { COLUMNS, type ColumnTable, type RowOf } from '../../columns.ts';
import { type EventRow, FORM_SUBMITTED } from '../../event.ts';
import type { AppendedVisits, GuardedEvent } from '../store.ts';
import { addToCounters, CounterSums } from './counters.ts';
import { ChangedTimes, emptyBlocks } from './empty-blocks.ts';
import { guard } from './guards.ts';

/**
 * Storage for events that are not inserted into the tables of events, such as the outbox of
 * ClickHouse.
 */
export interface Outbox {
  has(row: EventRow): boolean;
  insert(trx: Db, rows: readonly EventRow[]): Promise<void>;
}

/**
 * Stores visits with their counters. A visit that is already stored, by an earlier run of the same
 * job or as an earlier visit in the same window, changes nothing.
 *
 * All rows are written in the order of their keys, so that two workers cannot deadlock.
 */
export async function appendVisits(
  trx: Db,
  visits: readonly GuardedEvent[],
  outbox?: Outbox,
): Promise<AppendedVisits> {
  const first = new Map<string, GuardedEvent>();
  for (const visit of visits) if (!first.has(visit.guardId)) first.set(visit.guardId, visit);
  const all = await guard(trx, [...first.values()]);
  const [fresh, counted]: [EventRow[], EventRow[]] = [[], []];
  for (const { row, isCountedOnly } of all) (isCountedOnly === true ? counted : fresh).push(row);
  await store(trx, { fresh, counted }, outbox);
  return { fresh, counted: counted.length, repeats: visits.length - all.length };
}

/**
 * Stores events, adds them to the counters of their links, QR codes and pages, and marks records whose
 * form was submitted. The caller makes sure that the events are new, adds them to the counters of
 * their customers, and publishes them.
 */
export const append = (trx: Db, rows: readonly EventRow[], outbox?: Outbox): Promise<void> =>
  store(trx, { fresh: rows, counted: [] }, outbox);

/**
 * Stores events as {@link append} does.
 *
 * @param rows the events, and those that only add to counters
 */
async function store(
  trx: Db,
  { fresh, counted }: { fresh: readonly EventRow[]; counted: readonly EventRow[] },
  outbox?: Outbox,
): Promise<void> {
  const sums = new CounterSums();
  for (const row of counted) sums.add(row);
  if (fresh.length > 0) {
    const here = outbox === undefined ? fresh : await insertIntoOutbox(trx, fresh, outbox);
    if (here.length > 0) await insertEvents(trx, here, COLUMNS);
    const leads: EventRow[] = [];
    for (const row of fresh) {
      sums.add(row);
      if (row.event === 'lead') leads.push(row);
    }
    // Before blocks and counters, as in writes that lock a link and then erase its events.
    await markFilled(trx, leads);
    await noteChanges(trx, here);
  }
  // Counters come last: other transactions that visit the same records wait from here until the
  // commit.
  await addToCounters(trx, sums);
}

/** Empties the blocks of stored events, and notes the numbers of them. */
async function noteChanges(trx: Db, events: readonly EventRow[]): Promise<void> {
  const changed = new ChangedTimes();
  const counts = new Map<string, number>();
  for (const event of events) {
    changed.add(event);
    counts.set(event.project_id, (counts.get(event.project_id) ?? 0) + 1);
  }
  await emptyBlocks(trx, changed);
  await noteStored(trx, [...counts]);
}

/**
 * Inserts the events that belong in the outbox.
 *
 * @returns the other events
 */
async function insertIntoOutbox(
  trx: Db,
  rows: readonly EventRow[],
  outbox: Outbox,
): Promise<EventRow[]> {
  const others = rows.filter((row) => outbox.has(row));
  if (others.length > 0) await outbox.insert(trx, others);
  return rows.filter((row) => !outbox.has(row));
}

/** Inserts events into a table, with the columns of a column table. */
export async function insertEvents<Table extends ColumnTable>(
  trx: Db,
  rows: readonly RowOf<Table>[],
  table: Table,
): Promise<void> {
  const columns = Object.keys(table) as (keyof Table & string)[];
  await copyInto(
    trx,
    'events',
    columns,
    rows.map((row) => columns.map((column) => row[column] as CopyValue)),
  );
}

/** Notes numbers of stored events by workspace, for the job that builds blocks of them. */
export async function noteStored(
  trx: Db,
  stored: readonly (readonly [projectId: string, count: number])[],
): Promise<void> {
  if (stored.length === 0) return;
  await execute(
    trx,
    'INSERT INTO events_stored (project_id, count) SELECT * FROM unnest(:projects::text[], :counts::int[])',
    { projects: stored.map(([id]) => id), counts: stored.map(([, count]) => count) },
  );
}

/** Marks links and QR codes whose form was submitted. */
async function markFilled(trx: Db, leads: readonly EventRow[]): Promise<void> {
  const filled = new Map<string, Set<string>>();
  for (const { project_id, link_id, page_id, event_name } of leads) {
    if (link_id === null) continue;
    if (page_id === null && event_name !== FORM_SUBMITTED) continue;
    filled.set(project_id, (filled.get(project_id) ?? new Set()).add(link_id));
  }
  // Locked in the order of workspaces and ids, as in all transactions.
  const inOrder = [...filled].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const table of ['links', 'qrcodes']) {
    for (const [projectId, ids] of inOrder) {
      await execute(
        trx,
        `WITH open AS MATERIALIZED (
           SELECT id FROM ${table}
            WHERE project_id = :projectId AND id = ANY(:ids) AND NOT filled ORDER BY id FOR UPDATE)
         UPDATE ${table} AS r SET filled = true
           FROM open
          WHERE r.project_id = :projectId AND r.id = open.id`,
        { projectId, ids: [...ids] },
      );
    }
  }
}
