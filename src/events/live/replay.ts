import type { EventFilter } from '../filters.ts';
import type { EventKind } from '../kinds.ts';
import { eventsStore } from '../store/index.ts';
import type { Cursor, EventSelection, ListedEvent } from '../store/store.ts';

/** Events that a client which connects again gets at most. */
const MOST = 300;
/** Furthest that missed events are counted. */
const COUNTED = 10_000;
/**
 * Events may be committed in another order than they occurred in. So those shortly before the last one are sent again,
 * in ms: better twice than never.
 */
const OVERLAP_MS = 2_000;
/** Clocks differ; events of the near future are listed too, in ms. */
const AHEAD_MS = 60_000;
/** Age of events with which a new stream may begin, in ms. */
const LATEST_MS = 30 * 24 * 3_600_000;

/** What a client missed: the newest events, oldest first, and how many more there were. */
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

/** Finds the events after one, which a client may have missed. */
export async function findMissed(
  projectId: string,
  last: Cursor,
  { kinds, filter }: { kinds: readonly EventKind[]; filter: EventFilter },
): Promise<Missed> {
  const span = {
    start: new Date(last.atMicros / 1_000 - OVERLAP_MS),
    end: new Date(Date.now() + AHEAD_MS),
  };
  const page = { limit: MOST + 1, order: 'desc' as const, offset: 0 };
  const selections = kinds.map((kind): EventSelection => ({ projectId, kind, span, filter }));
  const lists = await Promise.all(selections.map((one) => eventsStore().list(one, page)));
  const found = lists
    .flat()
    .filter(({ id }) => id !== last.id)
    .toSorted((a, b) => a.atMicros - b.atMicros);
  if (found.length <= MOST) return { events: found, dropped: 0 };
  const counts = await Promise.all(selections.map((one) => eventsStore().countUpTo(one, COUNTED)));
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { events: found.slice(-MOST), dropped: Math.max(1, count - MOST) };
}
