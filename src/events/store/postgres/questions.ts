import { bigintSql, db, rows } from '../../../infra/db.ts';
import { type DimensionName, dimensionOf } from '../../dimensions.ts';
import { EVENT_KINDS, type EventKind, kindOf, pluralOf } from '../../kinds.ts';
import { type Numbers, numberNames } from '../../query/numbers.ts';
import { MAX_VALUES, type Question, type TimeCount, type ValueCount } from '../store.ts';
import { isRebuilding } from './rollup-rebuilds.ts';
import { isFineIn } from './rollups.ts';
import { ask, source } from './source.ts';

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

export async function totals(question: Question): Promise<Numbers> {
  const [row] = await ask<Numbers>(
    await source(question, 'all', 'none'),
    `SELECT ${numbersSql(question.events)} FROM source`,
  );
  return row!;
}

export async function countByValue(
  question: Question,
  dimension: DimensionName,
  prefix = '',
): Promise<ValueCount[]> {
  const { events } = question;
  const { rolledUpAs } = dimensionOf(dimension);
  const expression = expressionOf(dimension);
  const [first] = numberNames(events);
  const rows = await ask<Numbers & { value: never }>(
    await source(question, rolledUpAs ?? dimension, 'none'),
    `SELECT ${expression} AS value, ${numbersSql(events)} FROM source
      WHERE ${expression} IS NOT NULL ${prefix === '' ? '' : 'AND starts_with(value, :prefix)'}
      GROUP BY 1 ORDER BY "${first}" DESC, 1 LIMIT ${MAX_VALUES}`,
    prefix === '' ? {} : { prefix },
  );
  return rows.map(({ value, ...numbers }) => ({ value, numbers }));
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

export async function countByTime(question: Question): Promise<TimeCount[]> {
  const { span, events } = question;
  const { granularity, timezone, start, end } = span;
  const isCalendar = granularity === 'day' || granularity === 'month';
  const cut = isCalendar
    ? 'date_trunc(:unit, at AT TIME ZONE :timezone)'
    : 'date_bin(:step::interval, at, first)';
  const steps = isCalendar
    ? `SELECT local AT TIME ZONE :timezone AS start, local AS slot FROM generate_series(
         date_trunc(:unit, :start::timestamptz AT TIME ZONE :timezone),
         (:end::timestamptz - interval '1 microsecond') AT TIME ZONE :timezone, :step::interval) AS local`
    : `SELECT slot AS start, slot FROM origin, generate_series(
         first, :end::timestamptz - interval '1 microsecond', :step::interval) AS slot`;
  const names = numberNames(events);
  const rows = await ask<Numbers & { start: never }>(
    await source(question, 'all', granularity === 'minute' ? 'exact' : 'quarter'),
    `, origin AS (SELECT date_trunc(:unit, :start::timestamptz, :timezone) AS first),
       steps AS (${steps}),
       counted AS (SELECT ${cut} AS slot, ${numbersSql(events)} FROM source, origin GROUP BY 1)
     SELECT steps.start, ${names.map((name) => `coalesce(counted."${name}", 0) AS "${name}"`).join(', ')}
       FROM steps LEFT JOIN counted USING (slot) ORDER BY steps.slot`,
    { unit: granularity, step: STEP[granularity], timezone, start, end },
  );
  return rows.map(({ start: from, ...numbers }) => ({ start: from, numbers }));
}

export async function countVisitors(question: Question): Promise<number> {
  const [row] = await ask<{ visitors: number }>(
    await source(question, 'visitor', 'exact'),
    'SELECT count(DISTINCT value)::int AS visitors FROM source',
  );
  return row!.visitors;
}

/** SQL of rollups `r` of a dimension, each count `u(id, n)` as a row. */
const counts = (table: string) =>
  `FROM ${table} r CROSS JOIN LATERAL unnest(r.ids, r.counts) AS u(id, n)
    WHERE r.project_id = :projectId AND r.dimension = :dimension AND r.event = ANY(:kinds)`;

export async function findFirstTime(projectId: string): Promise<Date | undefined> {
  const first = (await isRebuilding(projectId))
    ? 'SELECT min(occurred_at) AS first FROM events WHERE project_id = :projectId AND event = ANY(:kinds)'
    : `SELECT min(at) AS first FROM (
         SELECT at FROM (
           SELECT r.bucket + u.id * interval '15 minutes' AS at, u.n ${counts('rollups')} AND r.step = 'd'
            UNION ALL
           SELECT r.bucket + u.id * interval '15 minutes', u.n ${counts('rollup_deltas')} AND NOT r.is_record) AS quarters
          GROUP BY at HAVING sum(n) > 0) AS found`;
  const [row] = await rows<{ first: Date | null }>(db(), first, {
    projectId,
    dimension: 'all',
    kinds: [...EVENT_KINDS],
  });
  return row!.first ?? undefined;
}

export async function listValues(
  projectId: string,
  dimension: DimensionName,
): Promise<string[] | undefined> {
  if (await isRebuilding(projectId)) return undefined;
  const idOfDay = isFineIn('domain', dimension) ? 'u.id / 96' : 'u.id';
  const found = await rows<{ value: string }>(
    db(),
    `SELECT value FROM event_values WHERE project_id = :projectId AND dimension = :dimension AND id IN (
       SELECT id FROM (SELECT u.id, u.n ${counts('rollups')} AND r.step = 'm'
                        UNION ALL
                       SELECT ${idOfDay}, u.n ${counts('rollup_deltas')} AND NOT r.is_record) AS used
        GROUP BY id HAVING sum(n) > 0)`,
    { projectId, kinds: [...EVENT_KINDS], dimension },
  );
  return found.map(({ value }) => value);
}
