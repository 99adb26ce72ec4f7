import { type Db, rows } from '../../../infra/db.ts';
import type { GuardedEvent } from '../store.ts';

/**
 * Inserts the guards of visits with different guards. The row of a guard also names the visitor if
 * this is the visitor's first visit of the day.
 *
 * @returns the visits whose guard is new; the events of first visits are marked
 */
export async function guard(trx: Db, visits: readonly GuardedEvent[]): Promise<GuardedEvent[]> {
  if (visits.length === 0) return [];
  const until = new Date(Math.max(...visits.map(({ guardUntil }) => guardUntil.getTime())));
  // By visitor, the visits that may be the first; the others wait for the outcome.
  const firsts = new Map<string, GuardedEvent>();
  const others: GuardedEvent[] = [];
  for (const visit of visits) {
    // Set in any case, because an earlier transaction may have marked the row and failed.
    visit.row.visitor = null;
    const visitor = visit.visitorId ?? visit.guardId;
    if (firsts.has(visitor)) others.push(visit);
    else firsts.set(visitor, visit);
  }
  const candidates = [...firsts.values()];
  const notAdded = await insertGuards(
    trx,
    candidates.map(({ guardId, visitorId }) => [guardId, visitorId ?? null]),
    until,
  );
  for (const visit of candidates) {
    if (notAdded.has(visit.guardId)) others.push(visit);
    else if (visit.visitorId !== undefined) visit.row.visitor = 'new';
  }
  if (others.length === 0) return [...visits];
  // Their guard is known, or only their visitor is.
  const repeated = await insertGuards(
    trx,
    others.map(({ guardId }) => [guardId, null]),
    until,
  );
  const fresh = visits.filter(({ guardId }) => !repeated.has(guardId));
  await markAfterRepeats(trx, fresh, { firsts, repeated, until });
  return fresh;
}

/**
 * Marks the first new visits of visitors for whom another visit was tried, which turned out to be a
 * repeat. That one may belong to the day before, if its window contains midnight.
 */
async function markAfterRepeats(
  trx: Db,
  fresh: readonly GuardedEvent[],
  of: { firsts: ReadonlyMap<string, GuardedEvent>; repeated: ReadonlySet<string>; until: Date },
): Promise<void> {
  const unmarked = new Map<string, GuardedEvent>();
  for (const visit of fresh) {
    const { visitorId } = visit;
    if (visitorId === undefined || unmarked.has(visitorId)) continue;
    if (of.repeated.has(of.firsts.get(visitorId)!.guardId)) unmarked.set(visitorId, visit);
  }
  if (unmarked.size === 0) return;
  const guards = [...unmarked.keys()].map((visitor) => [`vis_${visitor}`, visitor] as const);
  const known = await insertGuards(trx, guards, of.until);
  for (const [visitor, { row }] of unmarked) if (!known.has(`vis_${visitor}`)) row.visitor = 'new';
}

/**
 * Inserts guards, each with the visitor of whom it is the first visit of the day, unless the guard
 * or the visitor is known.
 *
 * @returns ids of the guards that were not inserted
 */
async function insertGuards(
  trx: Db,
  guards: readonly (readonly [id: string, visitor: string | null])[],
  until: Date,
): Promise<Set<string>> {
  // Inserted in order, so that two workers do not deadlock: visits with one guard have one visitor.
  // Where that fails, as across midnight, Postgres ends one transaction, whose job runs again.
  // Only ids that are not inserted are returned, which are few.
  const known = await rows<{ id: string }>(
    trx,
    `WITH given AS MATERIALIZED (
       SELECT id COLLATE "C" AS id, visitor
         FROM unnest(:ids::text[], :visitors::uuid[]) AS guard(id, visitor)),
     added AS (
       INSERT INTO visit_guards (id, visitor, expires_at)
       SELECT id, visitor, :until::timestamptz FROM given ORDER BY visitor, id
       ON CONFLICT DO NOTHING RETURNING id)
     SELECT id FROM given
      WHERE (SELECT count(*) FROM added) < (SELECT count(*) FROM given) AND id NOT IN (SELECT id FROM added)`,
    {
      ids: guards.map(([id]) => id),
      visitors: guards.map(([, visitor]) => visitor),
      until: until.toISOString(),
    },
  );
  return new Set(known.map(({ id }) => id));
}
