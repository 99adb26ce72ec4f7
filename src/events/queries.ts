import type { Span } from '../analytics/interval.ts';
import { db } from '../infra/db.ts';
import type { EventRow } from './event.ts';

/** Which page of a list, and in which order. */
export interface Page {
  page: number;
  limit: number;
  order: 'asc' | 'desc';
}

/** An event as it is read: its time is a date. */
export type StoredEvent = Omit<EventRow, 'occurred_at'> & { occurred_at: Date };

/** One page of the events of a span. */
export async function listEvents(
  projectId: string,
  { start, end }: Span,
  filter: { sql: string; bindings: Record<string, string> },
  { page, limit, order }: Page,
): Promise<StoredEvent[]> {
  const { rows } = await db().raw<{ rows: StoredEvent[] }>(
    `SELECT * FROM events
      WHERE project_id = :projectId AND event = 'click' AND occurred_at >= :start AND occurred_at < :end ${filter.sql}
      ORDER BY occurred_at ${order}, id ${order} LIMIT :limit OFFSET :offset`,
    { projectId, start, end, limit, offset: (page - 1) * limit, ...filter.bindings },
  );
  return rows;
}
