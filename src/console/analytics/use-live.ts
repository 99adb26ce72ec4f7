import { useEffect, useRef, useState } from 'react';
import type { ApiError } from '../api/error.ts';
import { type LiveEvent, watchEvents } from '../api/live-events.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { searchOf } from './queries.ts';

/** Maximum number of events in the list; the events page has older ones. */
const KEPT = 500;
/** Default number of events at the start. */
const LATEST = 50;
/** Age in ms from which an event does not count as new, with room for clock differences. */
const EARLIER_MS = 60_000;
/** Interval between renders in ms, so that many visits per second do not each render the list. */
const DRAW_MS = 200;

/** An event in the list. */
export interface ShownEvent extends LiveEvent {
  /** Arrival time by the browser's clock; for earlier events, the time of the event. */
  cameAt: number;
  /** Reason why the event was not counted; absent for counted events. */
  uncounted?: string;
}

interface LiveState {
  /** Events, newest first. */
  events: readonly ShownEvent[];
  connection: 'connecting' | 'open' | 'broken';
  /** Number of events that the service dropped. */
  dropped: number;
  /** Number of counted events since the view was opened, including the initial ones. */
  count: number;
  /** Number of visits since the view was opened that were not counted. */
  uncounted: number;
  refusal: ApiError | undefined;
}

const EMPTY: LiveState = {
  events: [],
  connection: 'connecting',
  dropped: 0,
  count: 0,
  uncounted: 0,
  refusal: undefined,
};

interface LiveOptions {
  /** Number of earlier events to start with. */
  latest?: number;
  /** False to close the stream, as for a hidden page; the events stay. */
  isOn?: boolean;
}

/**
 * Follows the live events of a workspace, starting with the latest.
 *
 * @param parameters filters of the API; mount another component to change them
 */
export function useLive(
  parameters: Record<string, string | string[]>,
  { latest = LATEST, isOn = true }: LiveOptions = {},
): LiveState {
  const { slug } = useWorkspace();
  const [state, setState] = useState(EMPTY);
  const came = useRef<ShownEvent[]>([]);
  const uncountedIds = useRef(0);
  const search = searchOf({ ...parameters, latest: `${latest}`, uncounted: 'true' });

  useEffect(() => {
    if (!isOn) return undefined;
    const change = (parts: Partial<LiveState>) => setState((before) => ({ ...before, ...parts }));
    came.current = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      const fresh = came.current.splice(0).toReversed();
      setState((before) => {
        const known = new Set(before.events.map(({ id }) => id));
        // After a reconnection the stream may repeat a few events.
        const added = fresh.filter(({ id }) => !known.has(id) && known.add(id));
        const counted = added.filter((event) => event.uncounted === undefined).length;
        return {
          ...before,
          events: [...added, ...before.events].slice(0, KEPT),
          count: before.count + counted,
          uncounted: before.uncounted + added.length - counted,
        };
      });
    };
    const add = (event: ShownEvent) => {
      came.current.push(event);
      timer ??= setTimeout(draw, DRAW_MS);
    };
    const stop = watchEvents(slug, search, {
      onOpen: () => change({ connection: 'open' }),
      onEvent(event) {
        const [now, happenedAt] = [Date.now(), Date.parse(event.record.timestamp)];
        add({ ...event, cameAt: now - happenedAt > EARLIER_MS ? happenedAt : now });
      },
      onUncounted(record, reason) {
        // An uncounted visit is not stored, and its click id belongs to the counted visit.
        uncountedIds.current += 1;
        add({
          id: `uncounted ${uncountedIds.current}`,
          record,
          cameAt: Date.now(),
          uncounted: reason,
        });
      },
      onDropped: (count) => setState((before) => ({ ...before, dropped: before.dropped + count })),
      onBreak: () => change({ connection: 'broken' }),
      onRefused: (refusal) => change({ refusal, connection: 'broken' }),
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [slug, search, isOn]);
  return state;
}
