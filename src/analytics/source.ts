import type { EventRow } from '../events/event.ts';
import { BUCKET_MS, ROLLUP_DIMENSIONS, type RollupDimension } from '../events/store.ts';
import { db } from '../infra/db.ts';
import { type EventFilter, filterConditions } from './filters.ts';
import type { Span } from './interval.ts';

/*
 * Where counts come from. Rollups answer for whole buckets of unfiltered questions; the ragged ends of a span,
 * and every filtered question, are answered by the events themselves. Both are one table here:
 *
 *   source(at, value, n)    n events at about this time, with this value of the dimension
 *
 * This file and `events/store.ts` are all that knows how events are kept.
 */

/** SQL of the table `source`, and its bindings. */
export interface Source {
  sql: string;
  bindings: Record<string, unknown>;
}

/**
 * The table of counts for a question.
 *
 * @param exactTimes the question looks at times within a bucket, so that rollups can't answer
 */
export function source(
  projectId: string,
  dimension: RollupDimension,
  { start, end }: Span,
  filter: EventFilter,
  { exactTimes = false, event = 'click' }: { exactTimes?: boolean; event?: EventRow['event'] } = {},
): Source {
  const column = ROLLUP_DIMENSIONS[dimension];
  const { sql: conditions, bindings } = filterConditions(filter);
  const raw = (from: string, to: string) =>
    `SELECT occurred_at AS at, ${column ?? "''"} AS value, 1 AS n FROM events
      WHERE project_id = :projectId AND event = :event AND occurred_at >= ${from} AND occurred_at < ${to} ${conditions}`;
  const all = { projectId, event, start, end, ...bindings };
  const firstBucket = Math.ceil(start.getTime() / BUCKET_MS) * BUCKET_MS;
  const lastBucket = Math.floor(end.getTime() / BUCKET_MS) * BUCKET_MS;
  if (exactTimes || conditions !== '' || firstBucket >= lastBucket) {
    return { sql: raw(':start', ':end'), bindings: all };
  }
  return {
    sql: `SELECT bucket AS at, value, count AS n FROM rollups
           WHERE project_id = :projectId AND event = :event AND dimension = :dimension
             AND bucket >= :firstBucket AND bucket < :lastBucket
          UNION ALL ${raw(':start', ':firstBucket')}
          UNION ALL ${raw(':lastBucket', ':end')}`,
    bindings: {
      ...all,
      dimension,
      firstBucket: new Date(firstBucket),
      lastBucket: new Date(lastBucket),
    },
  };
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
