import { type Db, rows, type SqlValue } from '../../../infra/db.ts';
import type { DimensionName } from '../../dimensions.ts';
import type { StoredKind } from '../../kinds.ts';
import { Counts, readCounts } from './counts.ts';
import { isFineIn } from './event-counter.ts';
import { DAY_MS, QUARTER_MS, QUARTERS } from './quarters.ts';
import { visitorsOf } from './query-counts.ts';
import { type GroupedQuery, spanOf } from './source.ts';

/*
 * Counts of events that retention has deleted (`keep-counts.ts`): whole months, then whole days,
 * then whole quarter-hours; for links and QR codes no months. They answer queries about a domain or about links and QR codes, but
 * none with other filters.
 */

/** Kept counts of one owner and event kind. */
export interface Kept {
  event: StoredKind;
  /** True if the counts are those of its visitors, instead of events. */
  areVisitors: boolean;
  /** Domain, or link or QR code. */
  owner: string;
  /** By the ids of values or by quarter-hours since 1970. */
  counts: Counts;
}

interface KeptRow {
  /** Event kind, or the name of its visitors. */
  name: string;
  owner: string;
  isFine: boolean;
  /** Days since 1970. */
  day: number;
  counts: Buffer;
}

/**
 * Reads the kept counts of a query.
 *
 * @param visited kinds of which the visitors are read too
 */
export async function readKept(
  trx: Db,
  countQuery: GroupedQuery,
  dimension: DimensionName,
  by: 'value' | 'quarter',
  visited: readonly StoredKind[],
): Promise<Kept[]> {
  const { projectId, stored, filter } = countQuery;
  const { records, domain, conditions } = filter;
  if (conditions !== '' || (records !== undefined && domain !== undefined)) return [];
  const scope = records === undefined ? 'domain' : 'record';
  // Counts of a single link or QR code do not have its id.
  const name = scope === 'record' && dimension === 'record' ? 'all' : dimension;
  const [start, end] = spanOf(countQuery).map((time) => time.getTime()) as [number, number];
  const unit = isFineIn(scope, name) ? QUARTER_MS : DAY_MS;
  const [from, to] = [ceil(start, unit), floor(end, unit)];
  if (from >= to) return [];
  const bindings: Record<string, SqlValue> = {
    ...filter.bindings,
    projectId,
    events: [...stored, ...visited.map(visitorsOf)],
    name,
  };
  const isOwned =
    scope === 'record'
      ? 'is_record AND owner = ANY(:records::text[])'
      : `NOT is_record ${domain === undefined ? '' : 'AND owner = :domain'}`;
  const parts = periodsOf(from, to, { by, hasMonths: scope === 'domain' }).map(
    ({ step, isByQuarter, first, until }, at) => {
      Object.assign(bindings, { [`from${at}`]: new Date(first), [`to${at}`]: new Date(until) });
      const counts = isByQuarter ? 'quarters' : 'counts';
      return `SELECT event AS name, owner, ${isByQuarter} AS "isFine", (extract(epoch FROM bucket) / 86400)::int AS day, ${counts} AS counts
              FROM kept_counts
             WHERE project_id = :projectId AND ${isOwned} AND dimension = :name AND event = ANY(:events) AND step = '${step}'
               AND bucket >= :from${at}::timestamptz AND bucket < :to${at}::timestamptz AND ${counts} IS NOT NULL`;
    },
  );
  const keptRows = await rows<KeptRow>(trx, parts.join(' UNION ALL '), bindings);
  const kindOfVisitors = new Map(visited.map((kind) => [visitorsOf(kind), kind]));
  return keptRows.map(({ name, owner, isFine, day, counts }) => {
    const sums = new Counts();
    const ofVisitors = kindOfVisitors.get(name);
    const event = ofVisitors ?? (name as StoredKind);
    const kept = { event, areVisitors: ofVisitors !== undefined, owner, counts: sums };
    if (!isFine) {
      readCounts(counts, (id, n, amount) => sums.add(id, n, amount));
      return kept;
    }
    readCounts(counts, (id, n, amount) => {
      const slot = id % QUARTERS;
      const quarter = day * QUARTERS + slot;
      if (quarter * QUARTER_MS < from || quarter * QUARTER_MS >= to) return;
      sums.add(by === 'quarter' ? quarter : (id - slot) / QUARTERS, n, amount);
    });
    return kept;
  });
}

/** Rows of kept counts that cover a part of a span; times are in ms since 1970. */
interface Period {
  step: 'd' | 'm';
  isByQuarter: boolean;
  first: number;
  until: number;
}

/** Divides a span into whole months, whole days, and the days at both ends by quarter-hours. */
function periodsOf(
  from: number,
  to: number,
  { by, hasMonths }: { by: 'value' | 'quarter'; hasMonths: boolean },
): Period[] {
  const firstDay = floor(from, DAY_MS);
  if (by === 'quarter') return [{ step: 'd', isByQuarter: true, first: firstDay, until: to }];
  const days = [ceil(from, DAY_MS), floor(to, DAY_MS)] as const;
  const months = [ceilMonth(days[0]), floorMonth(days[1])] as const;
  const areMonths = hasMonths && months[0] < months[1];
  const periods: Period[] = [
    { step: 'm', isByQuarter: false, first: months[0], until: areMonths ? months[1] : months[0] },
    { step: 'd', isByQuarter: false, first: days[0], until: areMonths ? months[0] : days[1] },
    { step: 'd', isByQuarter: false, first: areMonths ? months[1] : days[1], until: days[1] },
    { step: 'd', isByQuarter: true, first: firstDay, until: Math.min(days[0], to) },
    // Both ends may be on the same day.
    { step: 'd', isByQuarter: true, first: Math.max(days[1], days[0]), until: to },
  ];
  return periods.filter(({ first, until }) => first < until);
}

const ceil = (time: number, ms: number): number => Math.ceil(time / ms) * ms;
const floor = (time: number, ms: number): number => Math.floor(time / ms) * ms;

function floorMonth(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function ceilMonth(time: number): number {
  const first = floorMonth(time);
  const date = new Date(first);
  return first === time ? first : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
