/*
 * How events are summed up, said once in SQL: for the events of one batch as for all that there are. A rollup has, for
 * a dimension and a step of time, how often each value came.
 *
 *   step   length                   of dimensions
 *   q      a quarter of an hour     with few values (`isFine`)
 *   d      a day of UTC             all
 *   m      a month of UTC           all
 */

interface Dimension {
  /** SQL of the value, of an event `e`; NULL where the event has none. */
  value: string;
  /** Has few values, so that quarters of hours are worth keeping. */
  isFine: boolean;
  /** False of what is only read from the events themselves. */
  isSummed?: false;
}

/** What events are counted by. */
export const DIMENSIONS = {
  all: { value: "''", isFine: true },
  country: { value: 'e.country', isFine: true },
  device: { value: 'e.device', isFine: true },
  browser: { value: 'e.browser', isFine: true },
  os: { value: 'e.os', isFine: true },
  /** With its region and country: there are many a Springfield. */
  city: { value: "e.country || E'\\t' || e.region || E'\\t' || e.city", isFine: false },
  referer: { value: 'rollup_value(e.referer)', isFine: false },
  referer_url: { value: 'rollup_value(e.referer_url)', isFine: false },
  url: { value: 'rollup_value(e.url)', isFine: false },
  record: { value: 'e.link_id', isFine: false },
  page: { value: 'e.page_id', isFine: false },
  event_name: { value: 'rollup_value(e.event_name)', isFine: false },
  /** Whoever came, as far as that can be told; not summed up. */
  visitor: {
    value: "e.ip || E'\\t' || e.browser || E'\\t' || e.os || E'\\t' || e.device",
    isFine: false,
    isSummed: false,
  },
} as const satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof DIMENSIONS;

/** What single links and QR codes are not counted by: it would be themselves. */
const NOT_OF_RECORDS: ReadonlySet<string> = new Set(['record']);

const dimensionRows = (names: readonly string[]): string =>
  names
    .map((name) => {
      const { value, isFine } = DIMENSIONS[name as DimensionName];
      return `('${name}', ${value}, ${isFine})`;
    })
    .join(', ');

/**
 * The rollups of some events, as a query.
 *
 * @param source a table of events, or SQL of one in parentheses
 * @param scope whose rollups: those of domains, or those of single records
 */
export function rollupsOf(source: string, scope: 'domain' | 'record'): string {
  const key = scope === 'domain' ? 'domain' : 'link_id';
  const names = Object.entries<Dimension>(DIMENSIONS).flatMap(([name, { isSummed }]) =>
    isSummed === false || (scope === 'record' && NOT_OF_RECORDS.has(name)) ? [] : [name],
  );
  // Of single records only time itself is wanted in quarters: what else is asked of them is asked by days.
  const isFine = scope === 'domain' ? 'd.is_fine' : "d.dimension = 'all'";
  return `
    SELECT project_id, ${key} AS scope, event, dimension, step, bucket, value,
           sum(count)::bigint AS count, sum(amount_cents)::bigint AS amount_cents
      FROM (SELECT e.project_id, e.${key}, e.event, d.dimension, d.value, ${isFine} AS is_fine,
                   CASE WHEN ${isFine} THEN e.quarter ELSE e.day END AS first,
                   count(*) AS count, coalesce(sum(e.amount_cents), 0) AS amount_cents
              FROM (SELECT *, date_bin('15 minutes', occurred_at, 'epoch'::timestamptz) AS quarter,
                           date_trunc('day', occurred_at, 'UTC') AS day FROM ${source} AS all_events) AS e
             CROSS JOIN LATERAL (VALUES ${dimensionRows(names)}) AS d(dimension, value, is_fine)
             WHERE d.value IS NOT NULL
             GROUP BY 1, 2, 3, 4, 5, 6, 7) AS counted
     CROSS JOIN LATERAL (VALUES ('q', first),
                                ('d', date_trunc('day', first, 'UTC')),
                                ('m', date_trunc('month', first, 'UTC'))) AS s(step, bucket)
     WHERE is_fine OR step <> 'q'
     GROUP BY 1, 2, 3, 4, 5, 6, 7`;
}

/** Adds the rollups of some events to those that are kept. Rows are taken in the order of their keys, as everywhere. */
export function addRollups(source: string, scope: 'domain' | 'record'): string {
  const table = scope === 'domain' ? 'rollups' : 'record_rollups';
  const key = scope === 'domain' ? 'domain' : 'record_id';
  return `
    INSERT INTO ${table} AS kept (project_id, ${key}, event, dimension, step, bucket, value, count, amount_cents)
    SELECT project_id, scope, event, dimension, step::"char", bucket, value, count, amount_cents
      FROM (${rollupsOf(source, scope)}) AS made
     ORDER BY project_id, event, dimension, step, bucket, scope, value
    ON CONFLICT (project_id, ${scope === 'domain' ? '' : 'record_id, '}event, dimension, step, bucket, ${scope === 'domain' ? 'domain, ' : ''}value)
      DO UPDATE SET count = kept.count + excluded.count,
                    amount_cents = kept.amount_cents + excluded.amount_cents`;
}

/** Keeps the texts that are too long for rollups. */
export function keepLongValues(source: string): string {
  return `
    INSERT INTO long_values (project_id, id, value)
    SELECT DISTINCT e.project_id, rollup_value(t.value), t.value
      FROM ${source} AS e
     CROSS JOIN LATERAL (VALUES (e.url), (e.referer), (e.referer_url), (e.event_name)) AS t(value)
     WHERE octet_length(t.value) > 400
     ORDER BY 1, 2
    ON CONFLICT DO NOTHING`;
}

const SAME_ROW = `kept.project_id = made.project_id AND kept.domain = made.scope AND kept.event = made.event
    AND kept.dimension = made.dimension AND kept.step = made.step::"char" AND kept.bucket = made.bucket
    AND kept.value = made.value`;

/** Takes the rollups of some events away from those of their domains: two statements, in this order. */
export const takeRollups = (source: string): readonly [string, string] => [
  `UPDATE rollups AS kept SET count = kept.count - made.count, amount_cents = kept.amount_cents - made.amount_cents
     FROM (${rollupsOf(source, 'domain')}) AS made WHERE ${SAME_ROW}`,
  `DELETE FROM rollups AS kept USING (${rollupsOf(source, 'domain')}) AS made WHERE ${SAME_ROW} AND kept.count = 0`,
];
