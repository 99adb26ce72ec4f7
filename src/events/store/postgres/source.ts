import { db, rows, type SqlValue } from '../../../infra/db.ts';
import { type DimensionName, dimensionOf } from '../../dimensions.ts';
import type { EventFilter } from '../../filters.ts';
import type { Question } from '../store.ts';
import { type FilterSql, filterSql, toSql } from './filters.ts';
import { valueSql } from './rollups.ts';

/*
 * The events as a source of counts. Every query reads a table
 *
 *   source(event, at, n, amount, value)    n events at about this time, with this value of the dimension
 *
 * Questions that rollups answer read events only at both ends of their span, and those of single links and QR codes that
 * have no rollups of their own (`rolled.ts`).
 */

/** A question whose filter is SQL, beside the one that was asked. */
export type SqlQuestion = Omit<Question, 'filter'> & { filter: FilterSql; asked: EventFilter };

/** The parts of a question by which events are counted. */
export type CountQuestion = Pick<SqlQuestion, 'projectId' | 'events' | 'filter' | 'asked'> & {
  span: Pick<Question['span'], 'start' | 'end' | 'isFromFirst'>;
};

export const toSqlQuestion = (question: Question): SqlQuestion => ({
  ...question,
  filter: toSql(question.filter),
  asked: question.filter,
});

export type Interval = readonly [from: Date, to: Date];

/** From the first event on, whole months are read: retention may have deleted events of its day and kept their rollups. */
export function spanOf({
  span: { start, end, isFromFirst },
}: Pick<CountQuestion, 'span'>): Interval {
  if (isFromFirst !== true) return [start, end];
  return [new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), 1)), end];
}

/**
 * SQL of counts of the events themselves.
 *
 * @param chosen SQL after `FROM events e`
 */
export function raw(dimension: DimensionName, chosen: string): string {
  if (dimensionOf(dimension).isUtm) {
    // Parameters are read once for each destination, of which there are fewer than events.
    return `SELECT e.event, e.at, e.n, e.amount, ${valueSql(dimension)} AS value
      FROM (SELECT e.event, e.url, min(e.occurred_at) AS at, count(*) AS n, coalesce(sum(e.amount_cents), 0) AS amount
              FROM events e ${chosen} GROUP BY e.event, e.url) AS e`;
  }
  return `SELECT e.event, e.occurred_at AS at, 1 AS n, coalesce(e.amount_cents, 0) AS amount,
                 ${valueSql(dimension)} AS value FROM events e ${chosen}`;
}

export const OF_EVENTS = 'e.project_id = :projectId AND e.event = ANY(:events)';

/** Runs a query over the events of a question; `sql` reads from the table `source`. */
export async function ask<Row extends object>(
  question: SqlQuestion,
  dimension: DimensionName,
  sql: string,
  more: Record<string, SqlValue> = {},
): Promise<Row[]> {
  const { projectId, events, filter } = question;
  const [from, to] = spanOf(question);
  const source = raw(
    dimension,
    `WHERE ${OF_EVENTS} AND e.occurred_at >= :from AND e.occurred_at < :to ${filterSql(filter)}`,
  );
  const bindings = { ...filter.bindings, projectId, events, from, to, ...more };
  return rows<Row>(db(), `WITH source AS (${source}) ${sql}`, bindings);
}
