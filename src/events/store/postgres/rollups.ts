/*
 * How events are summed up, said once in SQL: for the events of one batch as for all that there are. A rollup has, for
 * a dimension and a step of time, how often each value came.
 *
 *   step   length                   of dimensions
 *   q      a quarter of an hour     with few values (`isFine`)
 *   d      a day of UTC             all
 *   w      a week from Monday, UTC  with many values, when it is over
 *   m      a month of UTC           all; of those with many values, when it is over
 *
 * Where there are many values, nearly every event adds rows of its own. So their weeks and months are summed up from
 * their days once for all (`sumUp`), those that end before the workspace's `summed_until`; whatever comes later of those,
 * adds to all of them.
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

/** Whose rollups: those of domains, or those of single links and QR codes. */
export type Scope = 'domain' | 'record';

/** Where the rollups of a scope are: the column that says whose, and the primary key. */
export const TABLES = {
  domain: {
    table: 'rollups',
    key: 'domain',
    primaryKey: 'project_id, event, dimension, step, bucket, domain, value',
  },
  record: {
    table: 'record_rollups',
    key: 'record_id',
    primaryKey: 'project_id, record_id, event, dimension, step, bucket, value',
  },
} as const satisfies Record<Scope, object>;

/** What there are rollups of. Single links and QR codes are not counted by themselves. */
const namesOf = (scope: Scope): DimensionName[] =>
  Object.entries<Dimension>(DIMENSIONS).flatMap(([name, { isSummed }]) =>
    isSummed === false || (scope === 'record' && name === 'record') ? [] : [name as DimensionName],
  );

/** Are there quarters? Of single records only of time itself: what else is asked of them is asked by days. */
export const isFineIn = (scope: Scope, name: DimensionName): boolean =>
  scope === 'domain' ? DIMENSIONS[name].isFine : name === 'all';

/** Dimensions whose weeks and months are summed up when they are over. */
export const summedLater = (scope: Scope): DimensionName[] =>
  namesOf(scope).filter((name) => !isFineIn(scope, name));

/**
 * The rollups of some events, as a query.
 *
 * @param source a table of events, or SQL of one in parentheses
 * @param condition SQL of which rollups are meant
 */
export function rollupsOf(source: string, scope: Scope, condition = 'true'): string {
  const key = scope === 'domain' ? 'domain' : 'link_id';
  const names = namesOf(scope);
  const timeOf = (name: DimensionName) => (isFineIn(scope, name) ? 'quarter' : 'day');
  // Grouped by one dimension, a row has a time and a value of that one, and NULL for all others.
  const choose = (result: (name: DimensionName) => string) =>
    `CASE ${names.map((name) => `WHEN grouping(by_${name}) = 0 THEN ${result(name)}`).join(' ')} END`;
  return `
    SELECT project_id, scope, event, dimension, step, bucket, value,
           sum(count)::bigint AS count, sum(amount_cents)::bigint AS amount_cents
      FROM (SELECT project_id, scope, event, ${choose((name) => `'${name}'`)} AS dimension,
                   ${choose((name) => `by_${name}`)} AS value, quarter IS NOT NULL AS is_fine,
                   coalesce(quarter, day) AS first, count(*) AS count, coalesce(sum(amount_cents), 0) AS amount_cents
              FROM (SELECT e.project_id, e.${key} AS scope, e.event, e.amount_cents,
                           date_bin('15 minutes', e.occurred_at, 'epoch'::timestamptz) AS quarter,
                           date_trunc('day', e.occurred_at, 'UTC') AS day,
                           ${names.map((name) => `${DIMENSIONS[name].value} AS by_${name}`).join(', ')}
                      FROM ${source} AS e) AS valued
             GROUP BY project_id, scope, event, GROUPING SETS
                      (${names.map((name) => `(${timeOf(name)}, by_${name})`).join(', ')})) AS counted
     CROSS JOIN LATERAL (VALUES ('q', first),
                                ('d', date_trunc('day', first, 'UTC')),
                                ('w', date_trunc('week', first, 'UTC')),
                                ('m', date_trunc('month', first, 'UTC'))) AS s(step, bucket)
      JOIN workspaces AS w ON w.id = project_id
     WHERE value IS NOT NULL AND ${condition}
       AND CASE step WHEN 'q' THEN is_fine
                     WHEN 'd' THEN true
                     WHEN 'w' THEN NOT is_fine AND bucket < date_trunc('week', w.summed_until, 'UTC')
                     WHEN 'm' THEN is_fine OR bucket < date_trunc('month', w.summed_until, 'UTC') END
     GROUP BY 1, 2, 3, 4, 5, 6, 7`;
}

/** Adds the rollups of some events to those that are kept. Rows are taken in the order of their keys, as everywhere. */
export function addRollups(source: string, scope: Scope, condition?: string): string {
  const { table, key, primaryKey } = TABLES[scope];
  return `
    INSERT INTO ${table} AS kept (project_id, ${key}, event, dimension, step, bucket, value, count, amount_cents)
    SELECT project_id, scope, event, dimension, step::"char", bucket, value, count, amount_cents
      FROM (${rollupsOf(source, scope, condition)}) AS made
     ORDER BY project_id, event, dimension, step, bucket, scope, value
    ON CONFLICT (${primaryKey})
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

/** Keeps the texts of which a part may be asked for. */
export function keepTexts(source: string): string {
  return `
    INSERT INTO event_texts (project_id, kind, value)
    SELECT DISTINCT e.project_id, t.kind, rollup_value(t.value)
      FROM ${source} AS e
     CROSS JOIN LATERAL (VALUES ('url', e.url), ('referer', e.referer)) AS t(kind, value)
     ORDER BY 1, 2, 3
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
