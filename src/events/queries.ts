import { type EventFilter, filterSql } from '../analytics/filters.ts';
import type { Span } from '../analytics/interval.ts';
import { type Db, db } from '../infra/db.ts';
import type { EventName, EventRow } from './event.ts';

/** An event as it is read: its time is a date. */
export type StoredEvent = Omit<EventRow, 'occurred_at'> & { occurred_at: Date };

/** An event of a list, with its time as exact as it is stored. */
export type ListedEvent = StoredEvent & { atMicros: number };

/** A place in a list of events: after which one. */
export interface Cursor {
  /** Microseconds since 1970. */
  atMicros: number;
  id: string;
}

/** Which events of a list, and in which order. */
export interface Page {
  limit: number;
  order: 'asc' | 'desc';
  /** Events that are passed over. */
  offset: number;
  after?: Cursor;
}

/**
 * Some of the events of a span. They are chosen by an index alone, which is what makes a late page fast; then their
 * rows are read.
 */
export async function listEvents(
  projectId: string,
  event: EventName,
  { start, end }: Pick<Span, 'start' | 'end'>,
  filter: EventFilter,
  { limit, order, offset, after }: Page,
): Promise<ListedEvent[]> {
  const further = order === 'asc' ? '>' : '<';
  const at = "('epoch'::timestamptz + :afterMicros * interval '1 microsecond')";
  // The time by itself too: from a pair the index does not know where to begin.
  const follows = `AND (e.occurred_at, e.id) ${further} (${at}, :afterId) AND e.occurred_at ${further}= ${at}`;
  const { rows } = await db().raw<{ rows: ListedEvent[] }>(
    `WITH chosen AS (
       SELECT e.project_id, e.event, e.occurred_at, e.id FROM events e
        WHERE e.project_id = :projectId AND e.event = :event AND e.occurred_at >= :start AND e.occurred_at < :end
          ${filterSql(filter)} ${after === undefined ? '' : follows}
        ORDER BY e.occurred_at ${order}, e.id ${order} LIMIT :limit OFFSET :offset)
     SELECT e.*, (extract(epoch FROM e.occurred_at) * 1000000)::bigint AS "atMicros" FROM chosen JOIN events e USING (project_id, event, occurred_at, id)
      ORDER BY e.occurred_at ${order}, e.id ${order}`,
    {
      ...filter.bindings,
      projectId,
      event,
      start,
      end,
      limit,
      offset,
      afterMicros: after?.atMicros ?? null,
      afterId: after?.id ?? null,
    } as unknown as Record<string, string>,
  );
  return rows;
}

/** How many events of a span there are; `most` where there are more. */
export async function countEvents(
  projectId: string,
  event: EventName,
  { start, end }: Pick<Span, 'start' | 'end'>,
  filter: EventFilter,
  most: number,
): Promise<number> {
  const { rows } = await db().raw<{ rows: [{ count: number }] }>(
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM events e
        WHERE e.project_id = :projectId AND e.event = :event AND e.occurred_at >= :start AND e.occurred_at < :end
          ${filterSql(filter)} LIMIT :most) AS counted`,
    { ...filter.bindings, projectId, event, start, end, most } as unknown as Record<string, string>,
  );
  return rows[0].count;
}

/** A cursor as callers hand it back: nothing that they could make sense of. */
export const writeCursor = ({ atMicros, id }: ListedEvent): string =>
  Buffer.from(`${atMicros} ${id}`).toString('base64url');

/** What {@link writeCursor} made; `undefined` for anything else. */
export function readCursor(text: string): Cursor | undefined {
  const [, at, id] =
    /^(-?\d{1,17}) ([\w-]{1,60})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return at === undefined ? undefined : { atMicros: Number(at), id: id! };
}

/** The click, or scan, of an id. */
export async function findClick(
  projectId: string,
  id: string,
  connection: Db = db(),
): Promise<StoredEvent | undefined> {
  const { rows } = await connection.raw<{ rows: StoredEvent[] }>(
    "SELECT * FROM events WHERE project_id = ? AND id = ? AND event IN ('click', 'scan') LIMIT 1",
    [projectId, id],
  );
  return rows[0];
}
