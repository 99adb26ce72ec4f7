import { type Db, db } from '../infra/db.ts';
import type { EventRow } from './event.ts';
import type { CountedVisit } from './pipeline.ts';

/** Length of a bucket of the rollups, in ms. */
export const BUCKET_MS = 15 * 60_000;

/** Dimensions that rollups keep, and the column of an event that each counts; `all` counts every event. */
export const ROLLUP_DIMENSIONS = {
  all: undefined,
  country: 'country',
  device: 'device',
  browser: 'browser',
  os: 'os',
  referer: 'referer',
} as const satisfies Record<string, keyof EventRow | undefined>;

export type RollupDimension = keyof typeof ROLLUP_DIMENSIONS;

/**
 * Stores events with everything that follows from them, in one transaction: the rows, the counters of their
 * links, the rollups of their workspaces. An event that is there already, from an earlier run of the same job
 * or an earlier visit in the same window, changes nothing.
 *
 * Every set is written in the order of its keys, so that two workers wait for each other in turn.
 *
 * @returns how many events were new
 */
export async function storeEvents(visits: readonly CountedVisit[]): Promise<number> {
  const first = new Map<string, CountedVisit>();
  for (const visit of visits) if (!first.has(visit.guardId)) first.set(visit.guardId, visit);
  return db().transaction(async (trx) => {
    const fresh = await guard(trx, first);
    if (fresh.length === 0) return 0;
    await insertEvents(trx, fresh);
    await addToCounters(trx, fresh);
    await addToRollups(trx, fresh);
    await markFilled(trx, fresh);
    return fresh.length;
  });
}

/** Takes the guards of these visits; the visits whose guard was free are new. */
async function guard(trx: Db, visits: Map<string, CountedVisit>): Promise<EventRow[]> {
  const guards = [...visits.values()].map(({ guardId, guardUntil }) => ({
    id: guardId,
    expires_at: guardUntil,
  }));
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `INSERT INTO visit_guards SELECT id, expires_at FROM json_populate_recordset(NULL::visit_guards, ?)
      ORDER BY id ON CONFLICT DO NOTHING RETURNING id`,
    [JSON.stringify(guards)],
  );
  return rows.map(({ id }) => visits.get(id)!.row);
}

const COLUMNS =
  'project_id, occurred_at, id, event, link_id, domain, key, url, continent, country, region, city, ' +
  'device, browser, os, referer, referer_url, via, ip, page_id, click_id, event_name, metadata';

async function insertEvents(trx: Db, rows: readonly EventRow[]): Promise<void> {
  await trx.raw(
    `INSERT INTO events (${COLUMNS}) SELECT ${COLUMNS} FROM json_populate_recordset(NULL::events, ?)`,
    [JSON.stringify(rows)],
  );
}

/** What is added to the counters of one record. */
interface Counted {
  project_id: string;
  record_id: string;
  visits: number;
  leads: number;
  last_visit_at: string | null;
}

/** Clicks and scans count for their link or code, views for their page, leads for both. */
async function addToCounters(trx: Db, rows: readonly EventRow[]): Promise<void> {
  const sums = new Map<string, Counted>();
  const sumOf = (project_id: string, record_id: string): Counted => {
    let sum = sums.get(record_id);
    if (sum === undefined) {
      sum = { project_id, record_id, visits: 0, leads: 0, last_visit_at: null };
      sums.set(record_id, sum);
    }
    return sum;
  };
  for (const { project_id, event, link_id, page_id, occurred_at } of rows) {
    if (event === 'lead') {
      for (const id of [link_id, page_id]) if (id !== null) sumOf(project_id, id).leads += 1;
      continue;
    }
    const counted = event === 'view' ? page_id : link_id;
    if (counted === null) continue;
    const sum = sumOf(project_id, counted);
    sum.visits += 1;
    if (sum.last_visit_at === null || occurred_at > sum.last_visit_at) {
      sum.last_visit_at = occurred_at;
    }
  }
  if (sums.size === 0) return;
  // What was deleted meanwhile keeps its events, and has no counters any more.
  await trx.raw(
    `INSERT INTO counters (project_id, record_id, visits, leads, last_visit_at)
     SELECT sum.project_id, sum.record_id, sum.visits, sum.leads, sum.last_visit_at
       FROM json_populate_recordset(NULL::counters, ?) AS sum
      WHERE EXISTS (SELECT 1 FROM links WHERE project_id = sum.project_id AND id = sum.record_id)
         OR EXISTS (SELECT 1 FROM qrcodes WHERE project_id = sum.project_id AND id = sum.record_id)
         OR EXISTS (SELECT 1 FROM pages WHERE project_id = sum.project_id AND id = sum.record_id)
      ORDER BY sum.project_id, sum.record_id
     ON CONFLICT (project_id, record_id) DO UPDATE
        SET visits = counters.visits + excluded.visits,
            leads = counters.leads + excluded.leads,
            last_visit_at = greatest(counters.last_visit_at, excluded.last_visit_at)`,
    [JSON.stringify([...sums.values()])],
  );
}

/** Somebody has filled in the form before a destination. */
async function markFilled(trx: Db, rows: readonly EventRow[]): Promise<void> {
  const filled = new Map(
    rows.flatMap(({ event, project_id, link_id }) =>
      event === 'lead' && link_id !== null ? [[link_id, { project_id, id: link_id }]] : [],
    ),
  );
  if (filled.size === 0) return;
  for (const table of ['links', 'qrcodes']) {
    // Locked in the order of their ids, as everywhere.
    await trx.raw(
      `UPDATE ${table} AS r SET filled = true
         FROM (SELECT r.project_id, r.id FROM json_populate_recordset(NULL::${table}, ?) AS f
                 JOIN ${table} r ON r.project_id = f.project_id AND r.id = f.id
                WHERE NOT r.filled ORDER BY r.id FOR UPDATE OF r) AS open
        WHERE r.project_id = open.project_id AND r.id = open.id`,
      [JSON.stringify([...filled.values()])],
    );
  }
}

async function addToRollups(trx: Db, rows: readonly EventRow[]): Promise<void> {
  const sums = new Map<string, Record<string, unknown> & { count: number }>();
  for (const row of rows) {
    const { project_id, event, occurred_at } = row;
    const bucket = new Date(
      Math.floor(Date.parse(occurred_at) / BUCKET_MS) * BUCKET_MS,
    ).toISOString();
    for (const [dimension, column] of Object.entries(ROLLUP_DIMENSIONS)) {
      const value = column === undefined ? '' : row[column];
      const name = `${project_id}\n${event}\n${dimension}\n${bucket}\n${value}`;
      const sum = sums.get(name);
      if (sum === undefined)
        sums.set(name, { project_id, event, dimension, bucket, value, count: 1 });
      else sum.count += 1;
    }
  }
  await trx.raw(
    `INSERT INTO rollups (project_id, event, dimension, bucket, value, count)
     SELECT project_id, event, dimension, bucket, value, count
       FROM json_populate_recordset(NULL::rollups, ?)
      ORDER BY project_id, event, dimension, bucket, value
     ON CONFLICT (project_id, event, dimension, bucket, value) DO UPDATE
        SET count = rollups.count + excluded.count`,
    [JSON.stringify([...sums.values()])],
  );
}
