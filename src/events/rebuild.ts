import type { Db } from '../infra/db.ts';
import { addRollups, keepLongValues, keepTexts, rollupsOf, type Scope, TABLES } from './rollups.ts';
import { MANY_EVENTS } from './store.ts';
import { sumUpWeekOf } from './sum-up.ts';

/** How rollups differed from the events that they sum up, in rows. */
export interface Differences {
  rows: number;
  missing: number;
  surplus: number;
  different: number;
}

/** What a rebuild found, before it put it right. */
export interface Rebuilt {
  domains: Differences;
  records: Differences;
}

/**
 * Derives all rollups of a workspace from its events again, and tells how those that were there differed. What retention
 * has taken away stays as it was summed up.
 *
 * @param manyEvents records with as many are summed up from their first event on
 */
export async function rebuildRollups(
  db: Db,
  projectId: string,
  manyEvents = MANY_EVENTS,
): Promise<Rebuilt> {
  return db.transaction(async (trx) => {
    const of = await alone(trx, projectId);
    const domains = await compare(trx, 'domain', EVENTS, of);
    const records = await compare(trx, 'record', ROLLED_EVENTS, of);
    await derive(trx, of, manyEvents);
    return { domains, records };
  });
}

/** Derives all rollups of a workspace, whatever is there. */
export async function deriveRollups(db: Db, projectId: string): Promise<void> {
  await db.transaction(async (trx) => derive(trx, await alone(trx, projectId), MANY_EVENTS));
}

/** Whoever stores events waits from now on; nothing is lost. */
async function alone(trx: Db, projectId: string): Promise<Record<string, string>> {
  await trx.raw('LOCK TABLE rollups, record_rollups IN EXCLUSIVE MODE');
  await trx.raw("SET LOCAL work_mem = '256MB'");
  const { rows } = await trx.raw<{ rows: { from: Date | null }[] }>(
    // Shared: retention takes nothing away meanwhile.
    'SELECT events_from AS "from" FROM workspaces WHERE id = ? FOR SHARE',
    [projectId],
  );
  return { projectId, from: rows[0]?.from ?? '-infinity' } as unknown as Record<string, string>;
}

async function derive(trx: Db, of: Record<string, string>, manyEvents: number): Promise<void> {
  await trx.raw(keepLongValues(EVENTS), of);
  await trx.raw(keepTexts(EVENTS), of);
  await replace(trx, 'domain', EVENTS, of);
  await trx.raw(
    `UPDATE counters AS c SET rolled_from = date_trunc('day', e.first, 'UTC')
       FROM (SELECT link_id, min(occurred_at) AS first FROM events
              WHERE project_id = :projectId AND link_id IS NOT NULL
              GROUP BY link_id HAVING count(*) >= :manyEvents) AS e
      WHERE c.project_id = :projectId AND c.record_id = e.link_id
        AND (c.rolled_from IS NULL OR c.rolled_from > e.first)`,
    { ...of, manyEvents } as unknown as Record<string, string>,
  );
  await replace(trx, 'record', ROLLED_EVENTS, of);
}

/** Of a week that began before, not all events are there any more: it is made of its days, which are kept. */
const KEPT = 'bucket >= :from';

const EVENTS = '(SELECT * FROM events WHERE project_id = :projectId AND occurred_at >= :from)';

const ROLLED_EVENTS = `(SELECT v.* FROM events v
    JOIN counters c ON c.project_id = v.project_id AND c.record_id = v.link_id
   WHERE v.project_id = :projectId AND v.occurred_at >= :from AND v.occurred_at >= c.rolled_from)`;

async function compare(
  trx: Db,
  scope: Scope,
  source: string,
  of: Record<string, string>,
): Promise<Differences> {
  const { table, key } = TABLES[scope];
  const { rows } = await trx.raw<{ rows: [Differences] }>(
    `SELECT count(made.count) AS rows,
            count(*) FILTER (WHERE kept.count IS NULL) AS missing,
            count(*) FILTER (WHERE made.count IS NULL) AS surplus,
            count(*) FILTER (WHERE kept.count <> made.count OR kept.amount_cents <> made.amount_cents) AS different
       FROM (${rollupsOf(source, scope, KEPT)}) AS made
       FULL JOIN (SELECT *, ${key} AS scope FROM ${table} WHERE project_id = :projectId AND bucket >= :from) AS kept
         ON kept.scope = made.scope AND kept.event = made.event AND kept.dimension = made.dimension
        AND kept.step = made.step::"char" AND kept.bucket = made.bucket AND kept.value = made.value`,
    of,
  );
  return rows[0];
}

async function replace(
  trx: Db,
  scope: Scope,
  source: string,
  of: Record<string, string>,
): Promise<void> {
  const { table } = TABLES[scope];
  await trx.raw(`DELETE FROM ${table} WHERE project_id = :projectId AND bucket >= :from`, of);
  // Month by month: what is counted of one fits into memory, and no step is longer.
  const { rows } = await trx.raw<{ rows: [{ first: Date | null; last: Date }] }>(
    'SELECT min(occurred_at) AS first, max(occurred_at) AS last FROM events WHERE project_id = :projectId AND occurred_at >= :from',
    of,
  );
  const { first, last } = rows[0];
  if (first === null) return sumUpWeekOf(trx, scope, of);
  for (let month = monthOf(first); month <= last; ) {
    const next = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1));
    const inMonth = `(SELECT * FROM ${source} AS of_month WHERE occurred_at >= :month AND occurred_at < :next)`;
    const times = { month, next } as unknown as Record<string, string>;
    await trx.raw(addRollups(inMonth, scope, KEPT), { ...of, ...times });
    month = next;
  }
  await sumUpWeekOf(trx, scope, of);
}

const monthOf = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
