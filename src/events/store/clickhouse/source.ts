import type { Db } from '../../../infra/db.ts';
import { type Condition, type EventFilter, keyOf } from '../../filters.ts';
import { type EventKind, storedKinds } from '../../kinds.ts';
import { matcherOf } from '../../live/matcher.ts';
import { QUARTER_MS } from '../postgres/quarters.ts';
import type { ListedEvent } from '../store.ts';
import { type ClickHouse, isOneOf } from './connection.ts';
import { filterSql } from './filters.ts';
import { readPending } from './pending.ts';
import { MOVED_KINDS, MOVED_STORED_KINDS } from './schema.ts';

/** Events for a query that are not in the Postgres tables of events. */
export interface Source {
  /** Events that wait in the outbox. */
  waiting: ListedEvent[];
  /** ClickHouse SQL that is true for the events that are stored there. */
  stored: string;
  /**
   * Returns the stored events as a table, which is faster when many are read: exact times are
   * compared only at the ends of the span, and quarter-hours between them.
   *
   * @param columns of the table
   * @param condition SQL that must be true for its events
   */
  table(columns: readonly string[], condition: string): string;
}

/**
 * Columns with thousands of distinct texts. Servers read them more slowly for filtered events than
 * for all. Other columns are read in half the time if the filter comes first.
 */
const OF_MANY = ['link_id', 'referer_url', 'page_url', 'place', 'ip'];

/**
 * Finds the events of some kinds in a time span.
 *
 * @returns nothing if none of the kinds is kept in ClickHouse
 */
export async function sourceOf(
  clickhouse: ClickHouse,
  query: {
    projectId: string;
    events: readonly EventKind[];
    span: { start: Date; end: Date };
    filter: EventFilter;
  },
  connection?: Db,
): Promise<Source | undefined> {
  const { projectId, span, filter } = query;
  const moved = query.events.filter((kind) => MOVED_KINDS.includes(kind));
  const kinds = storedKinds(moved, filter.traffic);
  if (kinds.length === 0) return undefined;
  const { events, counting } = await readPending(
    projectId,
    'e.event = ANY(:kinds) AND e.occurred_at >= :start AND e.occurred_at < :end',
    { kinds, start: span.start, end: span.end },
    connection,
  );
  const [from, to] = [span.start, span.end].map((time) => time.getTime()) as [number, number];
  const isIn = isBetween(from, to);
  // Old servers need longer to compare a text with several than for the rest of a query.
  const isOfKind = kinds.length === MOVED_STORED_KINDS.length ? '1' : isOneOf('event', kinds);
  const counted = `${counting} AND ${isOfKind}`;
  const [first, last] = [Math.ceil(from / QUARTER_MS), Math.floor(to / QUARTER_MS)];
  const ends = [
    ...(from % QUARTER_MS === 0 ? [] : [first - 1]),
    ...(to % QUARTER_MS === 0 || last < first ? [] : [last]),
  ];
  const spans = [
    ...(first < last ? [`slot >= ${first} AND slot < ${last}`] : []),
    // Skips parts without times in this quarter-hour. Comparing `slot` instead would take several
    // ms per part.
    ...ends.map((slot) => {
      const began = slot * QUARTER_MS;
      const isInSlot = isBetween(Math.max(from, began), Math.min(to, began + QUARTER_MS));
      return `slot = ${slot} AND ${isInSlot}`;
    }),
  ];
  const conditions = filterSql(
    await withStoredCities(clickhouse, filter, `${counted} AND ${isIn}`),
  );
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

/**
 * Replaces the names of cities in a filter by those of stored events that are compared as equal:
 * old servers have no functions to compare them so.
 *
 * @param selection SQL that selects the events
 */
async function withStoredCities(
  clickhouse: ClickHouse,
  filter: EventFilter,
  selection: string,
): Promise<EventFilter> {
  const requested = filter.conditions?.flatMap(citiesOf);
  if (requested === undefined || requested.length === 0) return filter;
  const keys = new Set(requested.map((name) => keyOf('city', name)));
  const stored = await clickhouse.rows<{ city: string }>(
    `SELECT city FROM events WHERE ${selection} GROUP BY city`,
  );
  const names = stored.map(({ city }) => city).filter((city) => keys.has(keyOf('city', city)));
  return {
    ...filter,
    conditions: filter.conditions?.map((condition) =>
      condition.filter !== 'city'
        ? condition
        : {
            filter: 'city',
            ...('not' in condition ? { not: { oneOf: names } } : { oneOf: names }),
          },
    ),
  };
}

/** Returns the names of cities that a condition compares. */
function citiesOf(condition: Condition): readonly string[] {
  const test = 'not' in condition ? condition.not : condition;
  return condition.filter === 'city' && 'oneOf' in test ? test.oneOf : [];
}

/** SQL that is true from one time until before another, in ms since 1970. */
const isBetween = (from: number, to: number) => `at >= ${from * 1000} AND at < ${to * 1000}`;
