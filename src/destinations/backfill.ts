import { kindOf as definitionOf, EVENT_KINDS, type EventKind } from '../events/kinds.ts';
import { countedTraffic } from '../events/query/traffic.ts';
import { eventsStore } from '../events/store/index.ts';
import { filterOf } from '../webhooks/filter.ts';
import type { Backfill, Destination } from './model.ts';
import { isSendable } from './outbox.ts';
import { type SentEvent, toSentEvent } from './sent-event.ts';

/*
 * Reads the stored events of a period, one kind after the other, in the order of their times. The
 * position after each page is stored, so that a backfill continues where it was interrupted.
 */

/** The kinds that destinations get. */
const KINDS: readonly EventKind[] = EVENT_KINDS.filter(
  (kind) => definitionOf(kind).webhook !== undefined,
);

/** An event of a page, with its time in the stored precision. */
interface PagedEvent {
  event: SentEvent;
  atMicros: number;
}

/** A page of events, and the position after it. */
export interface BackfillPage {
  events: readonly PagedEvent[];
  /** `undefined` after the last page. */
  next: Backfill['position'] | undefined;
}

/** Reads the next page of the backfill of a destination, which must be running. */
export async function readBackfillPage(
  { project_id: projectId, filter, backfill }: Destination,
  limit: number,
): Promise<BackfillPage> {
  const { position, start, end, unsentBefore } = backfill!;
  const kind = KINDS[position.kind];
  if (kind === undefined) return { events: [], next: undefined };
  const events = await eventsStore().list(
    {
      projectId,
      kind,
      span: { start: new Date(unsentBefore ?? start), end: new Date(end) },
      filter: filterOf(filter, (await countedTraffic(projectId)) === 'all'),
    },
    { limit, order: 'asc', offset: 0, after: position.after },
  );
  const last = events.at(-1);
  const next =
    last === undefined || events.length < limit
      ? { kind: position.kind + 1 }
      : { kind: position.kind, after: { atMicros: last.atMicros, id: last.id } };
  const sendable = events.filter((event) => isSendable(event));
  return {
    events: sendable.map((event) => ({ event: toSentEvent(event), atMicros: event.atMicros })),
    next,
  };
}

/**
 * Returns a backfill after its page was sent, or a part of it before a failure: it continues with
 * the first event that is left.
 *
 * @param done ids of the events that were accepted or refused
 * @param accepted number of those that were accepted
 */
export function afterPage(
  backfill: Backfill,
  { events, next }: BackfillPage,
  { done, accepted }: { done: ReadonlySet<string>; accepted: number },
): Backfill {
  const sent = backfill.sent + accepted;
  const left = events.findIndex(({ event }) => !done.has(event.id));
  if (left < 0) {
    return next === undefined
      ? { ...backfill, sent, finishedAt: new Date().toISOString() }
      : { ...backfill, sent, position: next };
  }
  const last = events[left - 1];
  if (last === undefined) return { ...backfill, sent };
  const after = { atMicros: last.atMicros, id: last.event.id };
  return { ...backfill, sent, position: { kind: backfill.position.kind, after } };
}
