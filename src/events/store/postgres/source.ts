import { db, rows, type SqlValue } from '../../../infra/db.ts';
import { type DimensionName, dimensionOf } from '../../dimensions.ts';
import type { EventFilter } from '../../filters.ts';
import { type StoredKind, storedKinds } from '../../kinds.ts';
import type { CountQuery } from '../store.ts';
import { type FilterSql, filterSql, toSql } from './filters.ts';
import { valueSql } from './value-sql.ts';

/*
 * The events as a source of counts. Every query reads a table
 *
 *   source(event, at, n, visitors, amount, value)   n events at about this time, with this value
 *                                                   of the dimension; `visitors` of them are marked
 */

/** A count query with its filter as SQL; `asked` is the original filter. */
export type SqlCountQuery = Omit<CountQuery, 'filter'> & {
  filter: FilterSql;
  asked: EventFilter;
  /** Names under which the events are stored. */
  stored: readonly StoredKind[];
};

/** The parts of a count query by which events are counted. */
export type GroupedQuery = Pick<
  SqlCountQuery,
  'projectId' | 'events' | 'stored' | 'filter' | 'asked'
> & {
  span: Pick<CountQuery['span'], 'start' | 'end' | 'isFromFirst'>;
};

export const toSqlQuery = (countQuery: CountQuery): SqlCountQuery => ({
  ...countQuery,
  filter: toSql(countQuery.filter),
  asked: countQuery.filter,
  stored: storedKinds(countQuery.events, countQuery.filter.traffic),
});

export type Interval = readonly [from: Date, to: Date];

/**
 * Returns the span as SQL values. From the first event on, whole months are read, because retention
 * may have deleted events of the first day and kept their counts.
 */
export function spanOf({
  span: { start, end, isFromFirst },
}: Pick<GroupedQuery, 'span'>): Interval {
  if (isFromFirst !== true) return [start, end];
  return [new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), 1)), end];
}

/**
 * Builds SQL that counts the events themselves.
 *
 * @param selection SQL that follows `FROM events e`
 */
export function raw(dimension: DimensionName, selection: string): string {
  if (dimensionOf(dimension).isUtm) {
    // Parameters are parsed once per destination, because there are fewer destinations than events.
    return `SELECT e.event, e.at, e.n, e.visitors, e.amount, ${valueSql(dimension)} AS value
      FROM (SELECT e.event, e.url, min(e.occurred_at) AS at, count(*) AS n, count(e.visitor) AS visitors,
                   coalesce(sum(e.amount_cents), 0) AS amount
              FROM events e ${selection} GROUP BY e.event, e.url) AS e`;
  }
  return `SELECT e.event, e.occurred_at AS at, 1 AS n, (e.visitor IS NOT NULL)::int AS visitors,
                 coalesce(e.amount_cents, 0) AS amount,
                 ${valueSql(dimension)} AS value FROM events e ${selection}`;
}

export const OF_EVENTS = 'e.project_id = :projectId AND e.event = ANY(:stored)';

/** Runs a query over the events of a count query; `sql` reads from the table `source`. */
export async function querySource<Row extends object>(
  countQuery: SqlCountQuery,
  dimension: DimensionName,
  sql: string,
  more: Record<string, SqlValue> = {},
): Promise<Row[]> {
  const { projectId, stored, filter } = countQuery;
  const [from, to] = spanOf(countQuery);
  const source = raw(
    dimension,
    `WHERE ${OF_EVENTS} AND e.occurred_at >= :from AND e.occurred_at < :to ${filterSql(filter)}`,
  );
  const bindings = { ...filter.bindings, projectId, stored, from, to, ...more };
  return rows<Row>(db(), `WITH source AS (${source}) ${sql}`, bindings);
}
