import { db, rows, type SqlValue } from '../../../infra/db.ts';
import { type DimensionName, dimensionOf } from '../../dimensions.ts';
import type { Question } from '../store.ts';
import { type FilterSql, filterSql, toSql } from './filters.ts';
import { isRebuilding } from './rollup-rebuilds.ts';
import { isFineIn, type Scope, TABLES, valueSql } from './rollups.ts';

/*
 * The source of counts. Every query reads a table
 *
 *   source(event, at, n, amount, value)    n events at about this time, with this value of the dimension
 *
 * made of the fewest rows that can answer it: rollups of whole months, then of whole days, then of whole quarters of an
 * hour, and the events themselves for the rest at both ends. Questions about single links and QR codes are answered by
 * their own rollups where they have some, and by their events where not. All other questions read events, and so do all
 * questions of a workspace whose rollups are being rebuilt.
 *
 * Only this file and `rollups.ts` depend on how counts are stored.
 */

/** A question whose filter is SQL. */
type SqlQuestion = Omit<Question, 'filter'> & { filter: FilterSql };

/** Required precision of a row's time: none, a quarter of an hour, or exact. */
export type Precision = 'none' | 'quarter' | 'exact';

/** SQL of the table `source`, and its bindings. */
export interface Source {
  sql: string;
  bindings: Record<string, SqlValue>;
}

type Interval = readonly [from: Date, to: Date];

/** Whole months and days, and quarters of the hours of days. */
type Step = 'q' | 'd' | 'm';

/** The parts of an interval that rollups cover, and the rest. */
interface Pieces {
  precision: Precision;
  steps: { step: Step; intervals: Interval[] }[];
  ragged: Interval[];
}

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

/** The table of counts for a question, by the values of a dimension. */
export async function source(
  asked: Question,
  dimension: DimensionName,
  precision: Precision,
): Promise<Source> {
  const { projectId, events } = asked;
  const filter = await toSql(projectId, asked.filter);
  const question: SqlQuestion = { ...asked, filter };
  const bindings = { projectId, events, ...filter.bindings };
  const { records, domain, conditions } = filter;
  if (
    precision === 'exact' ||
    conditions !== '' ||
    (records !== undefined && domain !== undefined) ||
    (await isRebuilding(projectId))
  ) {
    return { sql: rawSql(question, dimension), bindings: bind(bindings, [spanOf(question)]) };
  }
  const isFine =
    records === undefined
      ? isFineIn('domain', dimension)
      : isFineIn('record', rolledUpAs('record', dimension));
  const pieces = { ...cut(spanOf(question), precision, isFine), precision };
  return records === undefined
    ? fromDomains(question, dimension, pieces, bindings)
    : fromRecords(question, dimension, pieces, bindings);
}

/** From the first event on, whole months are read: retention may have deleted events of its day and kept their rollups. */
const spanOf = ({ span: { start, end, isFromFirst } }: SqlQuestion): Interval => [
  isFromFirst === true ? floorMonth(start) : start,
  end,
];

/** The events themselves. */
function rawSql({ filter }: SqlQuestion, dimension: DimensionName): string {
  return raw(
    dimension,
    `WHERE ${OF_EVENTS} AND e.occurred_at >= :from0 AND e.occurred_at < :to0 ${filterSql(filter)}`,
  );
}

const OF_EVENTS = 'e.project_id = :projectId AND e.event = ANY(:events)';

/**
 * SQL of counts of the events themselves.
 *
 * @param chosen SQL after `FROM events e`
 */
function raw(dimension: DimensionName, chosen: string): string {
  if (dimensionOf(dimension).isUtm) {
    // Parameters are read once for each destination, of which there are fewer than events.
    return `SELECT e.event, e.at, e.n, e.amount, ${valueSql(dimension)} AS value
      FROM (SELECT e.event, e.url, min(e.occurred_at) AS at, count(*) AS n, coalesce(sum(e.amount_cents), 0) AS amount
              FROM events e ${chosen} GROUP BY e.event, e.url) AS e`;
  }
  return `SELECT e.event, e.occurred_at AS at, 1 AS n, coalesce(e.amount_cents, 0) AS amount,
                 ${valueSql(dimension)} AS value FROM events e ${chosen}`;
}

function fromDomains(
  { filter }: SqlQuestion,
  dimension: DimensionName,
  pieces: Pieces,
  bindings: Record<string, SqlValue>,
): Source {
  const { ragged } = pieces;
  const intervals: Interval[] = [];
  const parts = rolledUp('domain', dimension, pieces, intervals, (owner) =>
    filter.domain === undefined ? '' : `AND ${owner} = :domain`,
  );
  if (ragged.length > 0) {
    const time = within('e.occurred_at', ragged, intervals);
    parts.push(raw(dimension, `WHERE ${OF_EVENTS} AND ${time} ${filterSql(filter)}`));
  }
  return { sql: union(parts), bindings: bind(bindings, intervals) };
}

function fromRecords(
  question: SqlQuestion,
  dimension: DimensionName,
  pieces: Pieces,
  bindings: Record<string, SqlValue>,
): Source {
  const { ragged } = pieces;
  const intervals: Interval[] = [];
  const records = `(SELECT r.id, c.rolled_from FROM unnest(:records::text[]) AS r(id)
    LEFT JOIN counters c ON c.project_id = :projectId AND c.record_id = r.id)`;
  const rawOf = (time: Interval[], condition: string) =>
    raw(
      dimension,
      `JOIN ${records} AS r ON r.id = e.link_id
        WHERE ${OF_EVENTS} AND ${within('e.occurred_at', time, intervals)} AND ${condition}`,
    );
  const parts = [
    // Their rollups count events since `rolled_from`, and of those before the ones that retention has deleted.
    ...rolledUp(
      'record',
      dimension,
      pieces,
      intervals,
      (owner) => `AND ${owner} = ANY(:records::text[])`,
    ),
    rawOf([spanOf(question)], "e.occurred_at < coalesce(r.rolled_from, 'infinity')"),
    ...(ragged.length === 0 ? [] : [rawOf(ragged, 'e.occurred_at >= r.rolled_from')]),
  ];
  return { sql: union(parts), bindings: bind(bindings, intervals) };
}

/** Counts by record need no rollups of their own. */
const rolledUpAs = (scope: Scope, dimension: DimensionName): DimensionName =>
  scope === 'record' && dimension === 'record' ? 'all' : dimension;

/**
 * SQL of what rollups have, and of what was added to them.
 *
 * @param isOwned SQL of the condition that an owner is meant, given its column
 */
function rolledUp(
  scope: Scope,
  dimension: DimensionName,
  { steps, precision }: Pieces,
  intervals: Interval[],
  isOwned: (owner: string) => string,
): string[] {
  if (steps.length === 0) return [];
  const { table, key } = TABLES[scope];
  const name = rolledUpAs(scope, dimension);
  const isFine = isFineIn(scope, name);
  const entries = 'CROSS JOIN LATERAL unnest(r.ids, r.counts, r.amounts) AS u(id, n, amount)';
  const of = `r.project_id = :projectId AND r.dimension = '${name}' AND r.event = ANY(:events)`;
  const idOfDay = isFine ? 'u.id / 96' : 'u.id';
  const rolled = steps.flatMap(({ step, intervals: some }) => {
    const quarter = "r.bucket + u.id % 96 * interval '15 minutes'";
    // Times are asked for of quarters only. Without them, all that was added to a count is summed up with it.
    const at = precision === 'quarter' ? quarter : 'NULL::timestamptz';
    const isMeant =
      step === 'q'
        ? `${within('r.bucket', some.map(daysOf), intervals)} AND ${within(quarter, some, intervals)}`
        : within('r.bucket', some, intervals);
    const select = (idOf: string, owner: string) =>
      `SELECT r.event, ${at} AS at, ${idOf} AS id, u.n, coalesce(u.amount, 0) AS amount, r.${owner} AS owner`;
    return [
      `${select(step === 'm' ? 'u.id' : idOfDay, key)} FROM ${table} AS r ${entries}
        WHERE ${of} AND r.step = '${step === 'm' ? 'm' : 'd'}' AND ${isMeant} ${isOwned(`r.${key}`)}`,
      `${select(idOfDay, 'owner')} FROM rollup_deltas AS r ${entries}
        WHERE ${of} AND r.is_record = ${scope === 'record'} AND ${isMeant} ${isOwned('r.owner')}`,
    ];
  });
  const summed = `(SELECT event, at, id, owner, sum(n) AS n, sum(amount) AS amount
      FROM (${union(rolled)}) AS rolled GROUP BY event, at, id, owner HAVING sum(n) <> 0) AS s`;
  const columns = 's.event, s.at, s.n, s.amount';
  if (name !== dimension) return [`SELECT ${columns}, s.owner AS value FROM ${summed}`];
  if (name === 'all') return [`SELECT ${columns}, '' AS value FROM ${summed}`];
  return [
    `SELECT ${columns}, v.value FROM ${summed}
       JOIN event_values v ON v.project_id = :projectId AND v.dimension = '${name}' AND v.id = s.id`,
  ];
}

/** The days that an interval is part of. */
const daysOf = ([from, to]: Interval): Interval => [floor(from, DAY_MS), to];

const union = (parts: string[]): string => parts.join('\n UNION ALL ');

/** Condition that a time is in one of some intervals, which are added to those that are bound. */
function within(column: string, some: readonly Interval[], intervals: Interval[]): string {
  const conditions = some.map((interval) => {
    const at = intervals.push(interval) - 1;
    return `(${column} >= :from${at} AND ${column} < :to${at})`;
  });
  return conditions.length === 1 ? conditions[0]! : `(${conditions.join(' OR ')})`;
}

function bind(
  bindings: Record<string, SqlValue>,
  intervals: readonly Interval[],
): Record<string, SqlValue> {
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
export function cut(
  span: Interval,
  precision: Precision,
  isFine: boolean,
): Omit<Pieces, 'precision'> {
  const steps: Pieces['steps'] = [];
  let open: Interval[] = [span];
  const take = (step: Step, whole: (interval: Interval) => Interval) => {
    const taken: Interval[] = [];
    open = open.flatMap((interval): Interval[] => {
      const [from, to] = whole(interval);
      if (from >= to) return [interval];
      taken.push([from, to]);
      const rest: Interval[] = [
        [interval[0], from],
        [to, interval[1]],
      ];
      return rest.filter(([begin, end]) => begin < end);
    });
    if (taken.length > 0) steps.push({ step, intervals: taken });
  };
  if (precision === 'none') {
    take('m', ([from, to]) => [ceilMonth(from), floorMonth(to)]);
    take('d', ([from, to]) => [ceil(from, DAY_MS), floor(to, DAY_MS)]);
  }
  if (isFine) take('q', ([from, to]) => [ceil(from, QUARTER_MS), floor(to, QUARTER_MS)]);
  const ragged = open.filter(([from, to]) => from < to);
  // An empty span needs a source too: the events, of which none match.
  return { steps, ragged: steps.length + ragged.length === 0 ? [span] : ragged };
}

const floor = (date: Date, ms: number) => new Date(Math.floor(date.getTime() / ms) * ms);
const ceil = (date: Date, ms: number) => new Date(Math.ceil(date.getTime() / ms) * ms);

const floorMonth = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));

function ceilMonth(date: Date): Date {
  const first = floorMonth(date);
  return first.getTime() === date.getTime()
    ? first
    : new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

/** Runs a question over a source; `sql` reads from the table `source`. */
export async function ask<Row extends object>(
  { sql, bindings }: Source,
  question: string,
  more: Record<string, SqlValue> = {},
): Promise<Row[]> {
  return rows<Row>(db(), `WITH source AS (${sql}) ${question}`, { ...bindings, ...more });
}
