import type { Db } from '../../../infra/db.ts';
import type { EventFilter } from '../../filter.ts';
import type { EventKind } from '../../kinds.ts';
import { matcherOf } from '../../live/matcher.ts';
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
}

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
  const [from, to] = [span.start, span.end].map((time) => time.getTime() * 1000);
  return {
    waiting: events.filter(matcherOf(filter)),
    stored: `${counting} AND ${isOneOf('event', kinds)} AND at >= ${from} AND at < ${to}${filterSql(filter)}`,
  };
}
