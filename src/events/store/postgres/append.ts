import { type Db, db } from '../infra/db.ts';
import { type EventRow, FORM_SUBMITTED } from './event.ts';
import type { CountedVisit } from './pipeline.ts';
import { addRollups, keepLongValues, keepTexts } from './rollups.ts';
import { tellOfEvents } from './tell.ts';

/**
 * From so many events on, a record's are summed up beside those of its domain. Fewer are read as they are: spread over
 * days and values, their sums would be as many rows as the events. It begins with the next day.
 */
export const MANY_EVENTS = 20_000;

/**
 * Stores visits with everything that follows from them, in one transaction. A visit that is there already, from an
 * earlier run of the same job or an earlier visit in the same window, changes nothing.
 *
 * Every set is written in the order of its keys, so that two workers wait for each other in turn.
 *
 * @returns how many events were new
 */
export async function storeVisits(visits: readonly CountedVisit[]): Promise<number> {
  const first = new Map<string, CountedVisit>();
  for (const visit of visits) if (!first.has(visit.guardId)) first.set(visit.guardId, visit);
  return db().transaction(async (trx) => {
    const fresh = await guard(trx, first);
    await addEvents(trx, fresh);
    return fresh.length;
  });
}

/**
 * Adds events, and with them the rollups, the counters of their links, QR codes and pages, what is marked as filled, and
 * what webhooks are told. Whoever calls makes sure that they are new.
 */
export async function addEvents(trx: Db, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  await insertEvents(trx, rows);
  const rolled = await addToCounters(trx, rows);
  const ofRecords = rows.filter(({ link_id, occurred_at }) => {
    const from = link_id === null ? undefined : rolled.get(link_id);
    return from !== undefined && occurred_at >= from;
  });
  if (ofRecords.length > 0) {
    await trx.raw(addRollups('json_populate_recordset(NULL::events, ?)', 'record'), [
      JSON.stringify(ofRecords),
    ]);
  }
  await markFilled(trx, rows);
  await tellOfEvents(trx, rows);
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
  'device, browser, os, referer, referer_url, via, ip, page_id, click_id, event_name, metadata, ' +
  'customer_id, amount_cents, sale';

/** The rows and the rollups of their domains, in one statement: the rows travel once. */
async function insertEvents(trx: Db, rows: readonly EventRow[]): Promise<void> {
  const hasLongValues = rows.some(
    ({ url, referer_url, event_name }) =>
      url.length > 100 || referer_url.length > 100 || (event_name?.length ?? 0) > 100,
  );
  await trx.raw(
    `WITH fresh AS (
       INSERT INTO events (${COLUMNS})
       SELECT ${COLUMNS} FROM json_populate_recordset(NULL::events, ?) RETURNING *)
     , texts AS (${keepTexts('fresh')})
     ${hasLongValues ? `, long AS (${keepLongValues('fresh')})` : ''}
     ${addRollups('fresh', 'domain')}`,
    [JSON.stringify(rows)],
  );
}

/** What is added to the counters of one record. */
interface Counted {
  project_id: string;
  record_id: string;
  visits: number;
  leads: number;
  sales: number;
  sale_amount_cents: number;
  last_visit_at: string | null;
}

/**
 * Clicks and scans count for their link or code, views for their page, leads and sales for both.
 *
 * @returns since when the events of a record are summed up, for those whose are
 */
async function addToCounters(trx: Db, rows: readonly EventRow[]): Promise<Map<string, string>> {
  const sums = sumsOf(rows);
  if (sums.length === 0) return new Map();
  // What was deleted meanwhile keeps its events, and has no counters any more.
  const { rows: counted } = await trx.raw<{ rows: { record_id: string; rolled_from: Date }[] }>(
    `INSERT INTO counters (project_id, record_id, visits, leads, sales, sale_amount_cents, last_visit_at)
     SELECT sum.project_id, sum.record_id, sum.visits, sum.leads, sum.sales, sum.sale_amount_cents, sum.last_visit_at
       FROM json_populate_recordset(NULL::counters, :sums) AS sum
      WHERE EXISTS (SELECT 1 FROM links WHERE project_id = sum.project_id AND id = sum.record_id)
         OR EXISTS (SELECT 1 FROM qrcodes WHERE project_id = sum.project_id AND id = sum.record_id)
         OR EXISTS (SELECT 1 FROM pages WHERE project_id = sum.project_id AND id = sum.record_id)
      ORDER BY sum.project_id, sum.record_id
     ON CONFLICT (project_id, record_id) DO UPDATE
        SET visits = counters.visits + excluded.visits,
            leads = counters.leads + excluded.leads,
            sales = counters.sales + excluded.sales,
            sale_amount_cents = counters.sale_amount_cents + excluded.sale_amount_cents,
            last_visit_at = greatest(counters.last_visit_at, excluded.last_visit_at),
            rolled_from = CASE
              WHEN counters.rolled_from IS NULL AND counters.visits + excluded.visits >= :many
              -- Nothing that is stored now is of a later day, save where clocks differ.
              THEN date_trunc('day', now() + interval '1 day 1 hour', 'UTC')
              ELSE counters.rolled_from END
     RETURNING record_id, rolled_from`,
    { sums: JSON.stringify(sums), many: MANY_EVENTS },
  );
  return new Map(
    counted.flatMap(({ record_id, rolled_from }) =>
      rolled_from === null ? [] : [[record_id, rolled_from.toISOString()]],
    ),
  );
}

function sumsOf(rows: readonly EventRow[]): Counted[] {
  const sums = new Map<string, Counted>();
  const sumOf = (project_id: string, record_id: string): Counted => {
    let sum = sums.get(record_id);
    if (sum === undefined) {
      sum = {
        project_id,
        record_id,
        visits: 0,
        leads: 0,
        sales: 0,
        sale_amount_cents: 0,
        last_visit_at: null,
      };
      sums.set(record_id, sum);
    }
    return sum;
  };
  for (const { project_id, event, link_id, page_id, occurred_at, amount_cents } of rows) {
    if (event === 'lead' || event === 'sale') {
      for (const id of [link_id, page_id]) {
        if (id === null) continue;
        const sum = sumOf(project_id, id);
        if (event === 'lead') sum.leads += 1;
        else {
          sum.sales += 1;
          sum.sale_amount_cents += amount_cents ?? 0;
        }
      }
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
  return [...sums.values()];
}

/** Somebody has filled in the form before a destination. */
async function markFilled(trx: Db, rows: readonly EventRow[]): Promise<void> {
  const filled = new Map(
    rows.flatMap(({ event, project_id, link_id, page_id, event_name }) =>
      event === 'lead' && link_id !== null && (page_id !== null || event_name === FORM_SUBMITTED)
        ? [[link_id, { project_id, id: link_id }]]
        : [],
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
