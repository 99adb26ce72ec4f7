import type { EventName } from '../events/event.ts';
import { DIMENSIONS, type DimensionName, isFineIn, type Scope } from '../events/rollups.ts';
import { db } from '../infra/db.ts';
import { type EventFilter, filterSql } from './filters.ts';
import type { Span } from './interval.ts';

/*
 * Where counts come from. Every question is one over a table
 *
 *   source(event, at, value, n, amount)    n events at about this time, with this value of the dimension
 *
 * made of the fewest rows that can answer it: rollups of whole months, then of whole weeks and days, then of whole
 * quarters of an hour, and the events themselves for the ragged ends. Questions about single links and QR codes are answered by
 * their own rollups where they have some, and by their events where not. All other questions read events.
 *
 * This file and `events/rollups.ts` are all that knows how counts are kept.
 */

/** A question over the events of a workspace. */
export interface Question {
  projectId: string;
  span: Span;
  filter: EventFilter;
  events: readonly EventName[];
}

/** How well the time of a row must be known: not at all, to the quarter of an hour, or exactly. */
export type Precision = 'none' | 'quarter' | 'exact';

/** SQL of the table `source`, and its bindings. */
export interface Source {
  sql: string;
  bindings: Record<string, unknown>;
}

type Interval = readonly [from: Date, to: Date];

type Step = 'q' | 'd' | 'w' | 'm';

/** What can be read in steps, and what is left. */
interface Pieces {
  steps: { step: Step; intervals: Interval[] }[];
  ragged: Interval[];
}

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

/** The table of counts for a question, by the values of a dimension. */
export function source(question: Question, dimension: DimensionName, precision: Precision): Source {
  const { projectId, filter, events } = question;
  const bindings = { projectId, events, ...filter.bindings };
  const { records, domain, conditions } = filter;
  if (
    precision === 'exact' ||
    conditions !== '' ||
    (records !== undefined && domain !== undefined)
  ) {
    return { sql: rawSql(question, dimension), bindings: bind(bindings, [spanOf(question)]) };
  }
  const isFine =
    records === undefined
      ? isFineIn('domain', dimension)
      : isFineIn('record', ofRecord(dimension).dimension);
  const pieces = cut(spanOf(question), precision, isFine);
  return records === undefined
    ? fromDomains(question, dimension, pieces, bindings)
    : fromRecords(question, dimension, pieces, bindings);
}

const spanOf = ({ span: { start, end } }: Question): Interval => [start, end];

/** The events themselves. */
function rawSql({ filter }: Question, dimension: DimensionName): string {
  return `${raw(dimension)} WHERE ${OF_EVENTS} AND e.occurred_at >= :from0 AND e.occurred_at < :to0 ${filterSql(filter)}`;
}

const OF_EVENTS = 'e.project_id = :projectId AND e.event = ANY(:events)';

const raw = (dimension: DimensionName): string => {
  const { value } = DIMENSIONS[dimension];
  return `SELECT e.event, e.occurred_at AS at, ${value} AS value, 1::bigint AS n, coalesce(e.amount_cents, 0) AS amount FROM events e`;
};

function fromDomains(
  { filter }: Question,
  dimension: DimensionName,
  { steps, ragged }: Pieces,
  bindings: Record<string, unknown>,
): Source {
  const intervals: Interval[] = [];
  const isDomain = filter.domain === undefined ? '' : 'AND domain = :domain';
  const parts = [
    ...readable(steps, 'domain', dimension).map(
      ({ step, intervals: some, only = '' }) =>
        `SELECT event, bucket AS at, value, count AS n, amount_cents AS amount FROM rollups
          WHERE project_id = :projectId AND event = ANY(:events) AND dimension = '${dimension}' AND step = '${step}'
            AND ${within('bucket', some, intervals)} ${isDomain} ${only}`,
    ),
    ...(ragged.length === 0
      ? []
      : [
          `${raw(dimension)} WHERE ${OF_EVENTS} AND ${within('e.occurred_at', ragged, intervals)} ${filterSql(filter)}`,
        ]),
  ];
  return { sql: union(parts), bindings: bind(bindings, intervals) };
}

/** Where the rollups of single records have a dimension. By records they are counted as they are. */
const ofRecord = (dimension: DimensionName): { dimension: DimensionName; value: string } =>
  dimension === 'record' ? { dimension: 'all', value: 'record_id' } : { dimension, value: 'value' };

function fromRecords(
  question: Question,
  dimension: DimensionName,
  { steps, ragged }: Pieces,
  bindings: Record<string, unknown>,
): Source {
  const intervals: Interval[] = [];
  const records = `(SELECT r.id, c.rolled_from FROM unnest(:records::text[]) AS r(id)
    LEFT JOIN counters c ON c.project_id = :projectId AND c.record_id = r.id)`;
  const kept = ofRecord(dimension);
  const rawOf = (time: Interval[], condition: string) =>
    `${raw(dimension)} JOIN ${records} AS r ON r.id = e.link_id
      WHERE ${OF_EVENTS} AND ${within('e.occurred_at', time, intervals)} AND ${condition}`;
  const parts = [
    // Their rollups hold what came since `rolled_from`, and nothing of what came before.
    ...readable(steps, 'record', kept.dimension).map(
      ({ step, intervals: some, only = '' }) =>
        `SELECT event, bucket AS at, ${kept.value} AS value, count AS n, amount_cents AS amount FROM record_rollups
          WHERE project_id = :projectId AND record_id = ANY(:records) AND event = ANY(:events)
            AND dimension = '${kept.dimension}' AND step = '${step}' AND ${within('bucket', some, intervals)} ${only}`,
    ),
    rawOf([spanOf(question)], "e.occurred_at < coalesce(r.rolled_from, 'infinity')"),
    ...(ragged.length === 0 ? [] : [rawOf(ragged, 'e.occurred_at >= r.rolled_from')]),
  ];
  return { sql: union(parts), bindings: bind(bindings, intervals) };
}

interface Readable {
  step: Step;
  intervals: Interval[];
  /** A further condition. */
  only?: string;
}

/** The rows that hold these steps: weeks and months that are not summed up yet are there as their days. */
function readable(steps: Pieces['steps'], scope: Scope, dimension: DimensionName): Readable[] {
  return steps.flatMap((piece): Readable[] => {
    const { step, intervals } = piece;
    if (isFineIn(scope, dimension) || (step !== 'w' && step !== 'm')) return [piece];
    const unit = step === 'w' ? 'week' : 'month';
    const only = `AND bucket >= (SELECT date_trunc('${unit}', summed_until, 'UTC') FROM workspaces WHERE id = :projectId)`;
    return [piece, { step: 'd', intervals, only }];
  });
}

const union = (parts: string[]): string => parts.join('\n UNION ALL ');

/** Condition that a time is in one of some intervals, which are added to those that will be bound. */
function within(column: string, some: readonly Interval[], intervals: Interval[]): string {
  const conditions = some.map((interval) => {
    const at = intervals.push(interval) - 1;
    return `(${column} >= :from${at} AND ${column} < :to${at})`;
  });
  return conditions.length === 1 ? conditions[0]! : `(${conditions.join(' OR ')})`;
}

function bind(
  bindings: Record<string, unknown>,
  intervals: readonly Interval[],
): Record<string, unknown> {
  const times = intervals.flatMap(([from, to], at) => [
    [`from${at}`, from],
    [`to${at}`, to],
  ]);
  return { ...bindings, ...Object.fromEntries(times) };
}

/**
 * Cuts a span into whole steps, the longest in the middle.
 *
 * @param isFine there are rollups of quarters
 */
export function cut(span: Interval, precision: Precision, isFine: boolean): Pieces {
  const steps: Pieces['steps'] = [];
  let open: Interval[] = [span];
  const take = (step: Step, whole: (interval: Interval) => Interval) => {
    const taken: Interval[] = [];
    open = open.flatMap((interval): Interval[] => {
      const [from, to] = whole(interval);
      if (from >= to) return [interval];
      taken.push([from, to]);
      return [
        [interval[0], from],
        [to, interval[1]],
      ].filter(([a, b]) => a! < b!) as unknown as Interval[];
    });
    if (taken.length > 0) steps.push({ step, intervals: taken });
  };
  if (precision === 'none') {
    take('m', ([from, to]) => [ceilMonth(from), floorMonth(to)]);
    if (!isFine) take('w', ([from, to]) => [ceilWeek(from), floorWeek(to)]);
    take('d', ([from, to]) => [ceil(from, DAY_MS), floor(to, DAY_MS)]);
  }
  if (isFine) take('q', ([from, to]) => [ceil(from, QUARTER_MS), floor(to, QUARTER_MS)]);
  const ragged = open.filter(([from, to]) => from < to);
  // Of no time at all, there is nothing; but something must be asked.
  return { steps, ragged: steps.length + ragged.length === 0 ? [span] : ragged };
}

const floor = (date: Date, ms: number) => new Date(Math.floor(date.getTime() / ms) * ms);
const ceil = (date: Date, ms: number) => new Date(Math.ceil(date.getTime() / ms) * ms);

/** 1 January 1970 was a Thursday; weeks begin on Mondays. */
const MONDAY_MS = 4 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;
const floorWeek = (date: Date) =>
  new Date(floor(new Date(date.getTime() - MONDAY_MS), WEEK_MS).getTime() + MONDAY_MS);
const ceilWeek = (date: Date) =>
  new Date(ceil(new Date(date.getTime() - MONDAY_MS), WEEK_MS).getTime() + MONDAY_MS);

const floorMonth = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));

function ceilMonth(date: Date): Date {
  const first = floorMonth(date);
  return first.getTime() === date.getTime()
    ? first
    : new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

/** Runs a question over a source; `sql` reads from the table `source`. */
export async function ask<Row>(
  { sql, bindings }: Source,
  question: string,
  more: Record<string, unknown> = {},
): Promise<Row[]> {
  const { rows } = await db().raw<{ rows: Row[] }>(`WITH source AS (${sql}) ${question}`, {
    ...bindings,
    ...more,
  } as Record<string, string>);
  return rows;
}

/** The texts of values of rollups that are too long to be kept there. */
export async function longValues(
  projectId: string,
  values: readonly string[],
): Promise<(value: string) => string> {
  const ids = values.filter((value) => value.startsWith('\u0001'));
  if (ids.length === 0) return (value) => value;
  const { rows } = await db().raw<{ rows: { id: string; value: string }[] }>(
    'SELECT id, value FROM long_values WHERE project_id = ? AND id = ANY(?)',
    [projectId, ids],
  );
  const texts = new Map(rows.map(({ id, value }) => [id, value]));
  return (value) => texts.get(value) ?? value;
}
