import { type CopyValue, copyInto } from '../../../infra/copy.ts';
import { bigintSql, type Db, execute, rows } from '../../../infra/db.ts';
import { COLUMNS, type ColumnTable, type RowOf } from '../../columns.ts';
import { type EventRow, FORM_SUBMITTED } from '../../event.ts';
import { COUNTERS, type Counter, kindOf } from '../../kinds.ts';
import type { AppendedVisits, GuardedEvent } from '../store.ts';
import { emptyBlocksOf } from './empty-blocks.ts';

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
 * Stores events, adds them to the counters of their links, QR codes and pages, and marks records
 * whose form was submitted. The caller makes sure that the events are new, and publishes them.
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
  if (fresh.length > 0) {
    const here = outbox === undefined ? fresh : await insertIntoOutbox(trx, fresh, outbox);
    if (here.length > 0) await insertEvents(trx, here, COLUMNS);
    // Before blocks and counters, as in writes that lock a link and then erase its events.
    await markFilled(trx, fresh);
    await emptyBlocksOf(trx, here);
    await noteStored(trx, [...countsOf(here)]);
  }
  // Counters come last: other transactions that visit the same records wait from here until the
  // commit.
  await addToCounters(trx, counted.length === 0 ? fresh : [...fresh, ...counted]);
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

/**
 * Inserts the guards of visits with different guards, and those of the visitors whose visits are
 * new. Visitors are inserted after all visits, each in the order of their ids, so that two workers
 * cannot deadlock.
 *
 * @returns the visits whose guard is new; their events are marked if that of the visitor is new too
 */
async function guard(trx: Db, visits: readonly GuardedEvent[]): Promise<GuardedEvent[]> {
  if (visits.length === 0) return [];
  const until = Math.max(...visits.map(({ guardUntil }) => guardUntil.getTime()));
  // Only ids that are not new are returned, which are few.
  const known = await rows<{ id: string }>(
    trx,
    `WITH given AS MATERIALIZED (
       SELECT id COLLATE "C" AS id, visitor COLLATE "C" AS visitor
         FROM unnest(:ids::text[], :visitors::text[]) AS visit(id, visitor)),
     added AS (
       INSERT INTO visit_guards (id, expires_at) SELECT id, :until::timestamptz FROM given
        ORDER BY id ON CONFLICT DO NOTHING RETURNING id),
     fresh AS MATERIALIZED (
       SELECT DISTINCT visitor FROM given JOIN added USING (id) WHERE visitor IS NOT NULL),
     counted AS (
       INSERT INTO visit_guards (id, expires_at) SELECT visitor, :until::timestamptz FROM fresh
        ORDER BY visitor ON CONFLICT DO NOTHING RETURNING id)
     SELECT id FROM given
      WHERE (SELECT count(*) FROM added) < (SELECT count(*) FROM given) AND id NOT IN (SELECT id FROM added)
      UNION ALL
     SELECT visitor FROM fresh
      WHERE (SELECT count(*) FROM counted) < (SELECT count(*) FROM fresh) AND visitor NOT IN (SELECT id FROM counted)`,
    {
      ids: visits.map(({ guardId }) => guardId),
      visitors: visits.map((visit) => visit.visitorId ?? null),
      until: new Date(until).toISOString(),
    },
  );
  const repeated = new Set(known.map(({ id }) => id));
  const fresh = visits.filter(({ guardId }) => !repeated.has(guardId));
  for (const { row, visitorId } of fresh) {
    // Set in any case, because an earlier transaction may have marked the row and failed.
    row.visitor = visitorId === undefined || repeated.has(visitorId) ? null : 'new';
    if (visitorId !== undefined) repeated.add(visitorId);
  }
  return fresh;
}

/** Increments for the counters of one record. */
interface CounterIncrements extends Record<Counter, number> {
  project_id: string;
  record_id: string;
  sale_amount_cents: number;
  last_visit_at: string | null;
}

/** Columns of increments, with their types. */
const COUNTED = [
  ['project_id', 'text'],
  ['record_id', 'text'],
  ...COUNTERS.map((name) => [name, 'bigint'] as const),
  ['sale_amount_cents', 'bigint'],
  ['last_visit_at', 'timestamptz'],
] as const satisfies (readonly [keyof CounterIncrements, string])[];

/** Counts events by workspace. */
function countsOf(events: readonly EventRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { project_id } of events) counts.set(project_id, (counts.get(project_id) ?? 0) + 1);
  return counts;
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

/** Adds events to the counters that their kinds name. */
async function addToCounters(trx: Db, events: readonly EventRow[]): Promise<void> {
  const sums = sumsOf(events);
  if (sums.length === 0) return;
  const names = COUNTED.map(([name]) => name);
  // Records deleted meanwhile keep their events but have no counters. OFFSET makes Postgres look up
  // each record by the index; without it, a large batch may read all links of all workspaces.
  await execute(
    trx,
    `INSERT INTO counters (${names.join(', ')})
     SELECT ${names.map((name) => `sum.${name}`).join(', ')}
       FROM unnest(${COUNTED.map(([name, type]) => `:${name}::${type}[]`).join(', ')}) AS sum(${names.join(', ')})
      WHERE EXISTS (SELECT 1 FROM links WHERE project_id = sum.project_id AND id = sum.record_id OFFSET 0)
         OR EXISTS (SELECT 1 FROM qrcodes WHERE project_id = sum.project_id AND id = sum.record_id OFFSET 0)
         OR EXISTS (SELECT 1 FROM pages WHERE project_id = sum.project_id AND id = sum.record_id OFFSET 0)
      ORDER BY sum.project_id COLLATE "C", sum.record_id COLLATE "C"
     ON CONFLICT (project_id, record_id) DO UPDATE
        SET ${COUNTERS.map((name) => `${name} = counters.${name} + excluded.${name},`).join('\n            ')}
            sale_amount_cents = ${bigintSql('counters.sale_amount_cents::numeric + excluded.sale_amount_cents')},
            last_visit_at = greatest(counters.last_visit_at, excluded.last_visit_at)`,
    Object.fromEntries(names.map((name) => [name, sums.map((sum) => sum[name])])),
  );
}

function sumsOf(rows: readonly EventRow[]): CounterIncrements[] {
  const sums = new Map<string, CounterIncrements>();
  const sumOf = (project_id: string, record_id: string): CounterIncrements => {
    let sum = sums.get(record_id);
    if (sum === undefined) {
      sum = {
        project_id,
        record_id,
        visits: 0,
        suspects: 0,
        leads: 0,
        sales: 0,
        sale_amount_cents: 0,
        last_visit_at: null,
      };
      sums.set(record_id, sum);
    }
    return sum;
  };
  for (const row of rows) {
    const { counter, countsFor } = kindOf(row.event);
    for (const column of countsFor) {
      const id = row[column];
      if (id === null) continue;
      const sum = sumOf(row.project_id, id);
      sum[counter] += 1;
      sum.sale_amount_cents += row.amount_cents ?? 0;
      if (
        counter === 'visits' &&
        (sum.last_visit_at === null || row.occurred_at > sum.last_visit_at)
      ) {
        sum.last_visit_at = row.occurred_at;
      }
    }
  }
  return [...sums.values()];
}

/** Marks links and QR codes whose form was submitted. */
async function markFilled(trx: Db, rows: readonly EventRow[]): Promise<void> {
  const filled = new Map<string, Set<string>>();
  for (const { event, project_id, link_id, page_id, event_name } of rows) {
    if (event !== 'lead' || link_id === null) continue;
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
