import type { EventFilter } from '../filters.ts';
import type { EventKind } from '../kinds.ts';
import { eventsStore } from '../store/index.ts';
import type { Cursor, EventSelection, ListedEvent } from '../store/store.ts';

/** Maximum number of events that a reconnecting client gets. */
const MAX_REPLAYED = 300;
/** Number up to which missed events are counted. */
const MAX_COUNTED = 10_000;
/**
 * Events can be committed in another order than they occurred in. Those this shortly before the
 * last one are sent again, in ms, because a duplicate is better than a loss.
 */
const OVERLAP_MS = 2_000;
/** Tolerance for clocks that run ahead: events up to this far in the future are listed, in ms. */
const AHEAD_MS = 60_000;
/** Maximum age of the events that a new stream begins with, in ms. */
const LATEST_MS = 30 * 24 * 3_600_000;

/** Events that a client missed: the newest ones, oldest first, and how many more there were. */
export interface Missed {
  events: ListedEvent[];
  dropped: number;
}

/** Finds the latest events of the last 30 days, with which a new stream begins. */
export async function findLatest(
  projectId: string,
  count: number,
  { kinds, filter }: { kinds: readonly EventKind[]; filter: EventFilter },
): Promise<Missed> {
  const end = new Date(Date.now() + AHEAD_MS);
  const span = { start: new Date(end.getTime() - LATEST_MS), end };
  const page = { limit: count, order: 'desc' as const, offset: 0 };
  const lists = await Promise.all(
    kinds.map((kind) => eventsStore().list({ projectId, kind, span, filter }, page)),
  );
  const events = lists.flat().toSorted((a, b) => a.atMicros - b.atMicros);
  return { events: events.slice(-count), dropped: 0 };
}

/** Finds the events after a given one, which the client may have missed. */
export async function findMissed(
  projectId: string,
  last: Cursor,
  { kinds, filter }: { kinds: readonly EventKind[]; filter: EventFilter },
): Promise<Missed> {
  const span = {
    start: new Date(last.atMicros / 1_000 - OVERLAP_MS),
    end: new Date(Date.now() + AHEAD_MS),
  };
  const page = { limit: MAX_REPLAYED + 1, order: 'desc' as const, offset: 0 };
  const selections = kinds.map((kind): EventSelection => ({ projectId, kind, span, filter }));
  const lists = await Promise.all(
    selections.map((selection) => eventsStore().list(selection, page)),
  );
  const events = lists
    .flat()
    .filter(({ id }) => id !== last.id)
    .toSorted((a, b) => a.atMicros - b.atMicros);
  if (events.length <= MAX_REPLAYED) return { events, dropped: 0 };
  const counts = await Promise.all(
    selections.map((selection) => eventsStore().countUpTo(selection, MAX_COUNTED)),
  );
  const count = counts.reduce((sum, part) => sum + part, 0);
  return { events: events.slice(-MAX_REPLAYED), dropped: Math.max(1, count - MAX_REPLAYED) };
}
