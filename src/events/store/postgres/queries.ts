import { bigintSql, type Db, db, rows } from '../../../infra/db.ts';
import { type DimensionName, dimensionOf } from '../../dimensions.ts';
import {
  EVENT_KINDS,
  type EventKind,
  kindOf,
  kindsWithVisitors,
  pluralOf,
  reducersOf,
  STORED_KINDS,
  storedKinds,
  type Traffic,
} from '../../kinds.ts';
import { type Numbers, numberNames, VISITORS } from '../../query/numbers.ts';
import { stepsOf } from '../../steps.ts';
import type { CountQuery, TimeCount, ValueCount } from '../store.ts';
import { countEvents } from './count.ts';
import { Counts, readCounts } from './counts.ts';
import { DAY_MS, QUARTER_MS } from './quarters.ts';
import { type CountsByKind, queryCounts } from './query-counts.ts';
import { querySource, toSqlQuery } from './source.ts';
import { numbersReader, topOf } from './top.ts';
import { findValues } from './values.ts';

export async function totals(query: CountQuery): Promise<Numbers> {
  const { counts } = await countEvents(toSqlQuery(query), 'all', 'value');
  return numbersReader(query.events, counts)(0);
}

export async function countByValue(
  query: CountQuery,
  dimension: DimensionName,
  prefix = '',
): Promise<ValueCount[]> {
  const { storedAs } = dimensionOf(dimension);
  const counted = await countEvents(toSqlQuery(query), storedAs ?? dimension, 'value');
  return topOf(counted, query.events, dimension, prefix);
}

/** SQL of the numbers of some event kinds, over rows of `source`. */
function numbersSql(kinds: readonly EventKind[], traffic: Traffic | undefined): string {
  const isOneOf = (some: readonly EventKind[]) => {
    const stored = storedKinds(some, traffic).map((kind) => `'${kind}'`);
    return stored.length === 0 ? 'false' : `event IN (${stored.join(', ')})`;
  };
  const ofKinds = kinds.flatMap((kind) => {
    const { amount } = kindOf(kind);
    const ofKind = `FILTER (WHERE ${isOneOf([kind])})`;
    const ofReducers = `FILTER (WHERE ${isOneOf(reducersOf(kind, kinds))})`;
    return [
      `coalesce(sum(n) ${ofKind}, 0)::bigint AS "${pluralOf(kind)}"`,
      ...(amount === undefined
        ? []
        : [
            `${bigintSql(`coalesce(sum(amount) ${ofKind}, 0) - coalesce(sum(amount) ${ofReducers}, 0)`)} AS "${amount}"`,
          ]),
    ];
  });
  const visited = kindsWithVisitors(kinds);
  const ofVisitors =
    visited.length === 0
      ? []
      : [`coalesce(sum(visitors) FILTER (WHERE ${isOneOf(visited)}), 0)::bigint AS "${VISITORS}"`];
  return [...ofKinds, ...ofVisitors].join(', ');
}

/** A time after all events, in ms since 1970. */
const FOREVER = Date.UTC(9999, 0);

export async function countByTime(query: CountQuery): Promise<TimeCount[]> {
  const countQuery = toSqlQuery(query);
  const steps = stepsOf(query.span);
  if (query.span.granularity !== 'minute') {
    const { counts } = await countEvents(countQuery, 'all', 'quarter');
    return inSteps(steps, query.events, counts, QUARTER_MS);
  }
  const none = Object.fromEntries(numberNames(query.events).map((name) => [name, 0]));
  const counted = await querySource<{ start: Date } & Numbers>(
    countQuery,
    'all',
    `SELECT date_bin('1 minute', at, :first::timestamptz) AS start, ${numbersSql(query.events, query.filter.traffic)}
       FROM source GROUP BY 1`,
    { first: steps[0]! },
  );
  const numbersOfStep = new Map(counted.map(({ start, ...numbers }) => [start.getTime(), numbers]));
  return steps.map((start) => ({
    start,
    // Each step has numbers of its own, since the caller may add to them.
    numbers: { ...none, ...numbersOfStep.get(start.getTime()) },
  }));
}

/**
 * Sums up counts by the step in which their period begins.
 *
 * @param steps starts of the steps
 * @param counts of units of time since 1970
 */
export function inSteps(
  steps: readonly Date[],
  events: readonly EventKind[],
  counts: CountsByKind,
  unitMs: number,
): TimeCount[] {
  const { counts: ofSteps } = queryCounts(events);
  for (const [kind, units] of counts) {
    let at = 0;
    for (const unit of units.ids()) {
      while (at + 1 < steps.length && steps[at + 1]!.getTime() <= unit * unitMs) at += 1;
      ofSteps.get(kind)!.addOf(units, unit, at);
    }
  }
  const numbersAt = numbersReader(events, ofSteps);
  return steps.map((start, at) => ({ start, numbers: numbersAt(at) }));
}

export async function countVisitors(query: CountQuery): Promise<number> {
  const [row] = await querySource<{ visitors: number }>(
    toSqlQuery(query),
    'visitor',
    'SELECT count(DISTINCT value)::int AS visitors FROM source',
  );
  return row!.visitors;
}

export async function findFirstTime(projectId: string): Promise<Date | undefined> {
  // One snapshot, since retention deletes the first events and keeps their counts.
  const times = await db().transaction(
    async (trx) => [await firstStored(trx, projectId), await firstKept(trx, projectId)],
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  const found = times.filter((time) => time !== undefined);
  if (found.length === 0) return undefined;
  return new Date(Math.floor(Math.min(...found) / QUARTER_MS) * QUARTER_MS);
}

/** Finds the time of the first stored event, in ms since 1970. */
async function firstStored(trx: Db, projectId: string): Promise<number | undefined> {
  const [row] = await rows<{ first: Date | null }>(
    trx,
    `SELECT min(e.first) AS first FROM unnest(:kinds::text[]) AS kind(event)
      CROSS JOIN LATERAL (SELECT min(occurred_at) AS first FROM events
                           WHERE project_id = :projectId AND event = kind.event) AS e`,
    { projectId, kinds: STORED_KINDS },
  );
  return row!.first?.getTime();
}

/** Finds the first quarter-hour of the events that retention has deleted, in ms since 1970. */
async function firstKept(trx: Db, projectId: string): Promise<number | undefined> {
  for (let after = '-infinity'; ; ) {
    const [day] = await rows<{ bucket: string; day: number; quarters: Buffer[] }>(
      trx,
      `SELECT bucket::text, (extract(epoch FROM bucket) / 86400)::int AS day, array_agg(quarters) AS quarters
         FROM kept_counts
        WHERE project_id = :projectId AND NOT is_record AND dimension = 'all' AND event = ANY(:kinds) AND step = 'd'
          AND quarters IS NOT NULL AND bucket > :after::timestamptz
        GROUP BY bucket ORDER BY bucket LIMIT 1`,
      { projectId, kinds: STORED_KINDS, after },
    );
    if (day === undefined) return undefined;
    const sums = new Counts();
    for (const quarters of day.quarters) readCounts(quarters, (id, n) => sums.add(id, n));
    const [first] = sums.ids();
    if (first !== undefined) return day.day * DAY_MS + first * QUARTER_MS;
    after = day.bucket;
  }
}

export async function listValues(projectId: string, dimension: DimensionName): Promise<string[]> {
  const span = {
    start: new Date(0),
    end: new Date(FOREVER),
    granularity: 'day',
    timezone: 'UTC',
  } as const;
  const all = toSqlQuery({ projectId, span, events: EVENT_KINDS, filter: { traffic: 'all' } });
  const { counts, values } = await countEvents(all, dimension, 'value');
  const ids = new Set(Array.from(counts.values(), (ofKind) => [...ofKind.ids()]).flat());
  const listed = await findValues([...ids].filter((id) => !values.has(id)));
  return [...listed.values(), ...values.values()];
}
