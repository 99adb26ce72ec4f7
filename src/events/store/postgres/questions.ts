import { bigintSql, db, rows } from '../../../infra/db.ts';
import { type DimensionName, dimensionOf } from '../../dimensions.ts';
import { EVENT_KINDS, type EventKind, kindOf, pluralOf } from '../../kinds.ts';
import { type Numbers, numberNames } from '../../query/numbers.ts';
import { MAX_VALUES, type Question, type TimeCount, type ValueCount } from '../store.ts';
import { Counts, readCounts } from './counts.ts';
import { type Rolled, readRollups } from './rolled.ts';
import { isRebuilding } from './rollup-rebuilds.ts';
import { DAY_MS, isFineIn, QUARTER_MS, QUARTERS } from './rollups.ts';
import { ask, toSqlQuestion } from './source.ts';
import { numbersOf, topOf } from './top.ts';
import { findValues } from './values.ts';

/** SQL of the numbers of some kinds of events, over rows of `source`. */
const numbersSql = (kinds: readonly EventKind[]): string =>
  kinds
    .flatMap((kind) => {
      const { amount } = kindOf(kind);
      const ofKind = `FILTER (WHERE event = '${kind}')`;
      return [
        `coalesce(sum(n) ${ofKind}, 0)::bigint AS "${pluralOf(kind)}"`,
        ...(amount === undefined
          ? []
          : [`${bigintSql(`coalesce(sum(amount) ${ofKind}, 0)`)} AS "${amount}"`]),
      ];
    })
    .join(', ');

export async function totals(asked: Question): Promise<Numbers> {
  const question = await toSqlQuestion(asked);
  const rolled = await readRollups(question, 'all', 'value');
  if (rolled !== undefined) return numbersOf(asked.events, rolled.counts, 0);
  const [row] = await ask<Numbers>(
    question,
    'all',
    `SELECT ${numbersSql(asked.events)} FROM source`,
  );
  return row!;
}

export async function countByValue(
  asked: Question,
  dimension: DimensionName,
  prefix = '',
): Promise<ValueCount[]> {
  const { events } = asked;
  const { rolledUpAs } = dimensionOf(dimension);
  const question = await toSqlQuestion(asked);
  const rolled = await readRollups(question, rolledUpAs ?? dimension, 'value');
  if (rolled !== undefined) return topOf(rolled, events, dimension, prefix);
  const expression = expressionOf(dimension);
  const [first] = numberNames(events);
  const found = await ask<Numbers & { value: never }>(
    question,
    rolledUpAs ?? dimension,
    `SELECT ${expression} AS value, ${numbersSql(events)} FROM source
      WHERE ${expression} IS NOT NULL ${prefix === '' ? '' : 'AND starts_with(value, :prefix)'}
      GROUP BY 1 ORDER BY "${first}" DESC, 1 LIMIT ${MAX_VALUES}`,
    prefix === '' ? {} : { prefix },
  );
  return found.map(({ value, ...numbers }) => ({ value, numbers }));
}

/** SQL of the value of a dimension, of a row of `source`. */
function expressionOf(dimension: DimensionName): string {
  const { columns, rolledUpAs, part } = dimensionOf(dimension);
  if (rolledUpAs === undefined) return 'value';
  return part === undefined
    ? firstParts(columns.length)
    : `nullif(split_part(value, E'\\t', ${part}), '')`;
}

/** SQL of the first parts of a value that is joined by tabs. */
const firstParts = (count: number): string =>
  Array.from({ length: count }, (_, at) => `split_part(value, E'\\t', ${at + 1})`).join(
    " || E'\\t' || ",
  );

const STEP = { minute: '1 minute', hour: '1 hour', day: '1 day', month: '1 month' };

export async function countByTime(asked: Question): Promise<TimeCount[]> {
  const question = await toSqlQuestion(asked);
  const { granularity, timezone, start, end } = asked.span;
  const isCalendar = granularity === 'day' || granularity === 'month';
  const steps = isCalendar
    ? `SELECT local AT TIME ZONE :timezone AS start, local AS slot FROM generate_series(
         date_trunc(:unit, :start::timestamptz AT TIME ZONE :timezone),
         (:end::timestamptz - interval '1 microsecond') AT TIME ZONE :timezone, :step::interval) AS local`
    : `SELECT slot AS start, slot FROM origin, generate_series(
         first, :end::timestamptz - interval '1 microsecond', :step::interval) AS slot`;
  const withSteps = `origin AS (SELECT date_trunc(:unit, :start::timestamptz, :timezone) AS first), steps AS (${steps})`;
  const bindings = { unit: granularity, step: STEP[granularity], timezone, start, end };
  const rolled =
    granularity === 'minute' ? undefined : await readRollups(question, 'all', 'quarter');
  if (rolled !== undefined) {
    // Where clocks are put back at midnight, the hour after it comes twice: the day begins with the first.
    const first = isCalendar
      ? `CASE WHEN (start - interval '1 hour') AT TIME ZONE :timezone = slot THEN start - interval '1 hour' ELSE start END`
      : 'start';
    const found = await rows<{ start: Date; first: Date }>(
      db(),
      `WITH ${withSteps} SELECT start, ${first} AS first FROM steps ORDER BY slot`,
      bindings,
    );
    return inSteps(found, asked.events, rolled);
  }
  const cut = isCalendar
    ? 'date_trunc(:unit, at AT TIME ZONE :timezone)'
    : 'date_bin(:step::interval, at, first)';
  const names = numberNames(asked.events);
  const found = await ask<Numbers & { start: never }>(
    question,
    'all',
    `, ${withSteps},
       counted AS (SELECT ${cut} AS slot, ${numbersSql(asked.events)} FROM source, origin GROUP BY 1)
     SELECT steps.start, ${names.map((name) => `coalesce(counted."${name}", 0) AS "${name}"`).join(', ')}
       FROM steps LEFT JOIN counted USING (slot) ORDER BY steps.slot`,
    bindings,
  );
  return found.map(({ start: from, ...numbers }) => ({ start: from, numbers }));
}

/** Sums up counts of quarters by the steps in which they begin. */
function inSteps(
  steps: readonly { start: Date; first: Date }[],
  events: readonly EventKind[],
  { counts }: Rolled,
): TimeCount[] {
  const ofSteps = new Map(events.map((event) => [event as string, new Counts()]));
  for (const [event, quarters] of counts) {
    let at = 0;
    for (const quarter of quarters.ids()) {
      while (at + 1 < steps.length && steps[at + 1]!.first.getTime() <= quarter * QUARTER_MS)
        at += 1;
      ofSteps.get(event)!.add(at, quarters.count(quarter), quarters.amount(quarter));
    }
  }
  return steps.map(({ start }, at) => ({ start, numbers: numbersOf(events, ofSteps, at) }));
}

export async function countVisitors(asked: Question): Promise<number> {
  const [row] = await ask<{ visitors: number }>(
    await toSqlQuestion(asked),
    'visitor',
    'SELECT count(DISTINCT value)::int AS visitors FROM source',
  );
  return row!.visitors;
}

export async function findFirstTime(projectId: string): Promise<Date | undefined> {
  if (await isRebuilding(projectId)) {
    const [row] = await rows<{ first: Date | null }>(
      db(),
      'SELECT min(occurred_at) AS first FROM events WHERE project_id = ? AND event = ANY(?)',
      [projectId, EVENT_KINDS],
    );
    return row!.first ?? undefined;
  }
  for (let after = '-infinity'; ; ) {
    const [day] = await rows<{ bucket: string; day: number; counts: Buffer[] }>(
      db(),
      `SELECT bucket::text, (extract(epoch FROM bucket) / 86400)::int AS day, array_agg(counts) AS counts
         FROM (SELECT bucket, quarters AS counts FROM rollups WHERE ${DAYS_OF_ALL} AND step = 'd'
                UNION ALL
               SELECT bucket, counts FROM rollup_deltas WHERE ${DAYS_OF_ALL} AND NOT is_record) AS days
        GROUP BY bucket ORDER BY bucket LIMIT 1`,
      { projectId, kinds: EVENT_KINDS, after },
    );
    if (day === undefined) return undefined;
    const sums = new Counts();
    for (const counts of day.counts) readCounts(counts, (id, n) => sums.add(id, n));
    const [first] = sums.ids();
    if (first !== undefined) return new Date(day.day * DAY_MS + first * QUARTER_MS);
    after = day.bucket;
  }
}

/** SQL of the numbers of events on days after some time. */
const DAYS_OF_ALL = `project_id = :projectId AND dimension = 'all' AND event = ANY(:kinds) AND bucket > :after::timestamptz`;

export async function listValues(
  projectId: string,
  dimension: DimensionName,
): Promise<string[] | undefined> {
  if (await isRebuilding(projectId)) return undefined;
  const used = `project_id = :projectId AND dimension = :dimension AND event = ANY(:kinds)`;
  const found = await rows<{ isAdded: boolean; counts: Buffer }>(
    db(),
    `SELECT false AS "isAdded", counts FROM rollups WHERE ${used} AND step = 'm'
      UNION ALL
     SELECT true, counts FROM rollup_deltas WHERE ${used} AND NOT is_record`,
    { projectId, kinds: EVENT_KINDS, dimension },
  );
  const sums = new Counts();
  for (const { isAdded, counts } of found) {
    const unit = isAdded && isFineIn('domain', dimension) ? QUARTERS : 1;
    readCounts(counts, (id, n) => sums.add(Math.floor(id / unit), n));
  }
  return [...(await findValues([...sums.ids()])).values()];
}
