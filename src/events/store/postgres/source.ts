import { db, rows, type SqlValue } from '../../../infra/db.ts';
import { type DimensionName, dimensionOf } from '../../dimensions.ts';
import type { Question } from '../store.ts';
import { type FilterSql, filterSql, toSql } from './filters.ts';
import { isRebuilding } from './rollup-rebuilds.ts';
import { isFineIn, LONG_TEXTS, type Scope, valueSql } from './rollups.ts';

/*
 * The source of counts. Every query reads a table
 *
 *   source(event, at, value, n, amount)    n events at about this time, with this value of the dimension
 *
 * made of the fewest rows that can answer it: rollups of whole months, then of whole weeks and days, then of whole
 * quarters of an hour, and the events themselves for the rest at both ends. Questions about single links and QR codes are answered by
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

type Step = 'q' | 'd' | 'w' | 'm';

/** The parts of an interval that rollups cover, and the rest. */
interface Pieces {
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
      : isFineIn('record', ofRecord(dimension).dimension);
  const pieces = cut(spanOf(question), precision, isFine);
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
    return `SELECT e.event, e.at, ${valueSql(dimension)} AS value, e.n, e.amount
      FROM (SELECT e.event, e.url, min(e.occurred_at) AS at, count(*) AS n, coalesce(sum(e.amount_cents), 0) AS amount
              FROM events e ${chosen} GROUP BY e.event, e.url) AS e`;
  }
  return `SELECT e.event, e.occurred_at AS at, ${valueSql(dimension)} AS value, 1::bigint AS n,
                 coalesce(e.amount_cents, 0) AS amount FROM events e ${chosen}`;
}

function fromDomains(
  { filter }: SqlQuestion,
  dimension: DimensionName,
  { steps, ragged }: Pieces,
  bindings: Record<string, SqlValue>,
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
          raw(
            dimension,
            `WHERE ${OF_EVENTS} AND ${within('e.occurred_at', ragged, intervals)} ${filterSql(filter)}`,
          ),
        ]),
  ];
  return { sql: union(parts), bindings: bind(bindings, intervals) };
}

/** The dimension in the rollups of single records. Counts by record need none. */
const ofRecord = (dimension: DimensionName): { dimension: DimensionName; value: string } =>
  dimension === 'record' ? { dimension: 'all', value: 'record_id' } : { dimension, value: 'value' };

function fromRecords(
  question: SqlQuestion,
  dimension: DimensionName,
  { steps, ragged }: Pieces,
  bindings: Record<string, SqlValue>,
): Source {
  const intervals: Interval[] = [];
  const records = `(SELECT r.id, c.rolled_from FROM unnest(:records::text[]) AS r(id)
    LEFT JOIN counters c ON c.project_id = :projectId AND c.record_id = r.id)`;
  const kept = ofRecord(dimension);
  const rawOf = (time: Interval[], condition: string) =>
    raw(
      dimension,
      `JOIN ${records} AS r ON r.id = e.link_id
        WHERE ${OF_EVENTS} AND ${within('e.occurred_at', time, intervals)} AND ${condition}`,
    );
  const parts = [
    // Their rollups count events since `rolled_from`, and of those before the ones that retention has deleted.
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

/** The rollups to read for these steps: weeks and months that are not compacted yet are read as days. */
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
export function cut(span: Interval, precision: Precision, isFine: boolean): Pieces {
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
    if (!isFine) take('w', ([from, to]) => [ceilWeek(from), floorWeek(to)]);
    take('d', ([from, to]) => [ceil(from, DAY_MS), floor(to, DAY_MS)]);
  }
  if (isFine) take('q', ([from, to]) => [ceil(from, QUARTER_MS), floor(to, QUARTER_MS)]);
  const ragged = open.filter(([from, to]) => from < to);
  // An empty span needs a source too: the events, of which none match.
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
export async function ask<Row extends object>(
  { sql, bindings }: Source,
  question: string,
  more: Record<string, SqlValue> = {},
): Promise<Row[]> {
  return rows<Row>(db(), `WITH source AS (${sql}) ${question}`, { ...bindings, ...more });
}

/** The texts of values of rollups that are too long to be kept there. */
export async function longValues(
  projectId: string,
  values: readonly string[],
): Promise<(value: string) => string> {
  const ids = values.filter((value) => value.startsWith('\u0001'));
  if (ids.length === 0) return (value) => value;
  const found = await rows<{ id: string; value: string }>(
    db(),
    'SELECT id, value FROM long_values WHERE project_id = ? AND id = ANY(?)',
    [projectId, ids],
  );
  const texts = new Map(found.map(({ id, value }) => [id, value]));
  const missing = ids.filter((id) => !texts.has(id));
  if (missing.length > 0) {
    // They are being rebuilt.
    for (const { id, value } of await longValuesOfEvents(projectId, missing)) texts.set(id, value);
  }
  return (value) => texts.get(value) ?? value;
}

async function longValuesOfEvents(projectId: string, ids: string[]) {
  return rows<{ id: string; value: string }>(
    db(),
    `SELECT DISTINCT rollup_value(t.value) AS id, t.value FROM events e
      CROSS JOIN LATERAL ${LONG_TEXTS}
      WHERE e.project_id = ? AND octet_length(t.value) > 400 AND rollup_value(t.value) = ANY(?)`,
    [projectId, ids],
  );
}
