import { bigintSql, type Db, execute, rows } from '../../../infra/db.ts';
import { COLUMNS, columnsWith } from '../../columns.ts';
import { DIMENSION_NAMES, type DimensionName, dimensionOf } from '../../dimensions.ts';

/*
 * The SQL of rollups, for the events of one batch and for all events alike. A rollup has the count of each value of a
 * dimension in a period.
 *
 *   step   length                   of dimensions
 *   q      a quarter of an hour     with few values (`isFine`)
 *   d      a day of UTC             all
 *   w      a week from Monday, UTC  with many values, when it is over
 *   m      a month of UTC           all; of those with many values, when it is over
 *
 * Where there are many values, nearly every event adds rows of its own. So their weeks and months are compacted from
 * their days once (`compactRollups`): those that end before the workspace's `summed_until`. A later event of such a week
 * or month is added to day, week and month.
 */

/** SQL of the value of a dimension, of an event `e`; NULL where the event has none. */
export function valueSql(name: DimensionName): string {
  const { columns, isUtm } = dimensionOf(name);
  // Most destinations have none, and need no call.
  if (isUtm) return "CASE WHEN position('utm_' IN e.url) > 0 THEN utm_value(e.url) END";
  if (columns.length === 0) return "''";
  const values = columns.map((column) =>
    LONG_COLUMNS.includes(column) ? `rollup_value(e.${column})` : `e.${column}`,
  );
  return values.join(" || E'\\t' || ");
}

/** Columns whose texts may be too long for rollups. */
export const LONG_COLUMNS = columnsWith(COLUMNS, 'isLong');

/** SQL of the texts of an event `e` that may be too long for rollups, as a table `t(value)`. */
export const LONG_TEXTS = `(SELECT unnest(ARRAY[${LONG_COLUMNS.map((column) => `e.${column}`).join(', ')}] || utm_texts(e.url))) AS t(value)`;

/** Owners of rollups: domains, or single links and QR codes. */
export type Scope = 'domain' | 'record';

/** The table of rollups of each scope: the column of its owner, and the primary key. */
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

/** The dimensions that have rollups. Single links and QR codes are not counted by themselves. */
const namesOf = (scope: Scope): DimensionName[] =>
  DIMENSION_NAMES.filter((name) => {
    const { isRaw, rolledUpAs } = dimensionOf(name);
    return !isRaw && rolledUpAs === undefined && (scope === 'domain' || name !== 'record');
  });

/** True where there are rollups of quarters of an hour. Those of single records count events only, by no value. */
export const isFineIn = (scope: Scope, name: DimensionName): boolean =>
  scope === 'domain' ? dimensionOf(name).isFine === true : name === 'all';

/** Dimensions whose weeks and months are compacted after they have ended. */
export const compactedDimensions = (scope: Scope): DimensionName[] =>
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
           sum(count)::bigint AS count, ${bigintSql('sum(amount_cents)')} AS amount_cents
      FROM (SELECT project_id, scope, event, ${choose((name) => `'${name}'`)} AS dimension,
                   ${choose((name) => `by_${name}`)} AS value, quarter IS NOT NULL AS is_fine,
                   coalesce(quarter, day) AS first, count(*) AS count, coalesce(sum(amount_cents), 0) AS amount_cents
              FROM (SELECT e.project_id, e.${key} AS scope, e.event, e.amount_cents,
                           date_bin('15 minutes', e.occurred_at, 'epoch'::timestamptz) AS quarter,
                           date_trunc('day', e.occurred_at, 'UTC') AS day,
                           ${names.map((name) => `${valueSql(name)} AS by_${name}`).join(', ')}
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

/** Adds the rollups of some events to those that are stored, in the order of their keys, as everywhere. */
export function addRollups(source: string, scope: Scope, condition?: string): string {
  const { table, key, primaryKey } = TABLES[scope];
  return `
    INSERT INTO ${table} AS kept (project_id, ${key}, event, dimension, step, bucket, value, count, amount_cents)
    SELECT project_id, scope, event, dimension, step::"char", bucket, value, count, amount_cents
      FROM (${rollupsOf(source, scope, condition)}) AS made
     ORDER BY project_id, event, dimension, step, bucket, scope, value
    ON CONFLICT (${primaryKey})
      DO UPDATE SET count = kept.count + excluded.count,
                    amount_cents = ${bigintSql('kept.amount_cents::numeric + excluded.amount_cents')}`;
}

/** Stores the texts that are too long for rollups. */
export function keepLongValues(source: string): string {
  return `
    INSERT INTO long_values (project_id, id, value)
    SELECT DISTINCT e.project_id, rollup_value(t.value), t.value
      FROM ${source} AS e
     CROSS JOIN LATERAL ${LONG_TEXTS}
     WHERE octet_length(t.value) > 400
     ORDER BY 1, 2
    ON CONFLICT DO NOTHING`;
}

/** Stores the texts that filters search for a part. */
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

/** Subtracts some events from the rollups of their domains: two statements, in this order. */
export const subtractRollups = (source: string): readonly [string, string] => [
  `UPDATE rollups AS kept SET count = kept.count - made.count, amount_cents = kept.amount_cents - made.amount_cents
     FROM (${rollupsOf(source, 'domain')}) AS made WHERE ${SAME_ROW}`,
  `DELETE FROM rollups AS kept USING (${rollupsOf(source, 'domain')}) AS made WHERE ${SAME_ROW} AND kept.count = 0`,
];

/*
 * The advisory lock of a workspace's events and rollups. Transactions that store or delete events take it shared, those
 * that derive rollups from events take it exclusively; it is held until the transaction ends. It is taken by a statement
 * of its own: the statements after it see everything that was committed before the lock was granted.
 */

const LOCK_KEY = "hashtextextended('rollups ' || id, 0)";

/** Waits while rollups of one of these workspaces are being derived; the ids may repeat. */
export async function shareEvents(trx: Db, projectIds: readonly string[]): Promise<void> {
  await execute(
    trx,
    `SELECT pg_advisory_xact_lock_shared(${LOCK_KEY}) FROM unnest(?::text[]) AS id`,
    // In the order of their ids, as everywhere.
    [[...new Set(projectIds)].toSorted()],
  );
}

/** As {@link shareEvents}, without waiting. @returns the workspaces whose rollups are being derived */
export async function tryShareEvents(
  trx: Db,
  projectIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await rows<{ id: string }>(
    trx,
    `SELECT id FROM unnest(?::text[]) AS id WHERE NOT pg_try_advisory_xact_lock_shared(${LOCK_KEY})`,
    [[...new Set(projectIds)]],
  );
  return new Set(found.map(({ id }) => id));
}

/** Waits for the transactions that store or delete events of a workspace, and blocks new ones. */
export async function lockEvents(trx: Db, projectId: string): Promise<void> {
  await execute(
    trx,
    `SELECT pg_advisory_xact_lock(${LOCK_KEY}) FROM (SELECT ?::text AS id) AS workspace`,
    [projectId],
  );
}
