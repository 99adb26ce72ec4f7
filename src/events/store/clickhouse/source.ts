import type { Db } from '../../../infra/db.ts';
import type { EventFilter } from '../../filters.ts';
import type { EventKind } from '../../kinds.ts';
import { matcherOf } from '../../live/matcher.ts';
import { QUARTER_MS } from '../postgres/rollups.ts';
import type { ListedEvent } from '../store.ts';
import { isOneOf } from './connection.ts';
import { filterSql } from './filters.ts';
import { readPending } from './pending.ts';
import { MOVED_KINDS } from './schema.ts';

/** The events of a question that are not in the tables of events of Postgres. */
export interface Source {
  /** Those that wait in the outbox. */
  waiting: ListedEvent[];
  /** SQL of ClickHouse that is true for those that are there. */
  stored: string;
  /**
   * The same ones as a table, which is faster where many are read: times of events are compared at both ends of the span
   * only, and their quarters of an hour between.
   *
   * @param columns of the table
   * @param condition SQL that must be true for them
   */
  table(columns: readonly string[], condition: string): string;
}

/**
 * Columns with thousands of texts. Servers read them more slowly for the events that a filter has left than for all; what
 * else a question needs is read in half of the time when the filter comes first.
 */
const OF_MANY = ['link_id', 'referer_url', 'page_url', 'place', 'ip'];

/**
 * Finds the events of some kinds in a span of time.
 *
 * @returns nothing where none of the kinds is kept in ClickHouse
 */
export async function sourceOf(
  asked: {
    projectId: string;
    events: readonly EventKind[];
    span: { start: Date; end: Date };
    filter: EventFilter;
  },
  connection?: Db,
): Promise<Source | undefined> {
  const { projectId, span, filter } = asked;
  const kinds = asked.events.filter((kind) => MOVED_KINDS.includes(kind));
  if (kinds.length === 0) return undefined;
  const { events, counting } = await readPending(
    projectId,
    'e.event = ANY(:kinds) AND e.occurred_at >= :start AND e.occurred_at < :end',
    { kinds, start: span.start, end: span.end },
    connection,
  );
  const [from, to] = [span.start, span.end].map((time) => time.getTime()) as [number, number];
  const isIn = isBetween(from, to);
  // Old servers take longer to compare a text with several than for all else of a question.
  const isOfKind = kinds.length === MOVED_KINDS.length ? '1' : isOneOf('event', kinds);
  const counted = `${counting} AND ${isOfKind}`;
  const conditions = filterSql(filter);
  const [first, last] = [Math.ceil(from / QUARTER_MS), Math.floor(to / QUARTER_MS)];
  const ends = [
    ...(from % QUARTER_MS === 0 ? [] : [first - 1]),
    ...(to % QUARTER_MS === 0 || last < first ? [] : [last]),
  ];
  const spans = [
    ...(first < last ? [`slot >= ${first} AND slot < ${last}`] : []),
    // Parts without times of the quarter of an hour are then not read; finding out by `slot` takes several ms for each.
    ...ends.map((slot) => {
      const began = slot * QUARTER_MS;
      const isInSlot = isBetween(Math.max(from, began), Math.min(to, began + QUARTER_MS));
      return `slot = ${slot} AND ${isInSlot}`;
    }),
  ];
  return {
    waiting: events.filter(matcherOf(filter)),
    stored: [counted, ...conditions, isIn].join(' AND '),
    table(columns, condition) {
      const isOfMany = columns.some((column) => OF_MANY.some((name) => column.includes(name)));
      const where =
        conditions.length === 0 || isOfMany
          ? ['WHERE 1', ...conditions].join(' AND ')
          : `PREWHERE ${conditions.join(' AND ')} WHERE 1`;
      const selects = (spans.length === 0 ? ['0'] : spans).map(
        (times) =>
          `SELECT ${columns.join(', ')} FROM events ${where} AND ${counted} AND ${times} AND ${condition}`,
      );
      return `(${selects.join(' UNION ALL ')})`;
    },
  };
}

/** SQL that is true from one time and before another one, in ms since 1970. */
const isBetween = (from: number, to: number) => `at >= ${from * 1000} AND at < ${to * 1000}`;
