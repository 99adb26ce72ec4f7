import { useEffect, useRef, useState } from 'react';
import type { ApiError } from '../api/error.ts';
import { type LiveEvent, watchEvents } from '../api/live-events.ts';
import { useWorkspace } from '../app/workspace.tsx';

/** Events that the list keeps; older ones are in the list of events. */
const KEPT = 500;
/** Events that the list begins with. */
const LATEST = 50;
/** Age from which an event has not come just now, in ms; clocks differ. */
const EARLIER_MS = 60_000;
/** Time between two renderings, in ms: many visits a second must not each draw the list. */
const DRAW_MS = 200;

/** An event in the list. */
export interface ShownEvent extends LiveEvent {
  /** When it came, by the clock of the browser; of earlier events, when they happened. */
  cameAt: number;
  /** Why it was not counted; missing for those that were. */
  uncounted?: string;
}

interface LiveState {
  /** The newest first. */
  events: readonly ShownEvent[];
  connection: 'connecting' | 'open' | 'broken';
  /** Events that the service left out. */
  dropped: number;
  /** Counted events that came since the view was opened, with those that the list began with. */
  count: number;
  refusal: ApiError | undefined;
}

const EMPTY: LiveState = {
  events: [],
  connection: 'connecting',
  dropped: 0,
  count: 0,
  refusal: undefined,
};

/**
 * The latest events of a workspace, and the next ones as they happen.
 *
 * @param parameters filters of the API; for others, mount another component
 */
export function useLive(parameters: Record<string, string>): LiveState {
  const { slug } = useWorkspace();
  const [state, setState] = useState(EMPTY);
  const came = useRef<ShownEvent[]>([]);
  const uncounted = useRef(0);
  const question = new URLSearchParams(parameters).toString();

  useEffect(() => {
    const change = (parts: Partial<LiveState>) => setState((before) => ({ ...before, ...parts }));
    came.current = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      const fresh = came.current.splice(0).toReversed();
      setState((before) => {
        const known = new Set(before.events.map(({ id }) => id));
        // After a break, the stream may repeat a few.
        const added = fresh.filter(({ id }) => !known.has(id) && known.add(id));
        return {
          ...before,
          events: [...added, ...before.events].slice(0, KEPT),
          count: before.count + added.filter((event) => event.uncounted === undefined).length,
        };
      });
    };
    const add = (event: ShownEvent) => {
      came.current.push(event);
      timer ??= setTimeout(draw, DRAW_MS);
    };
    const filters = Object.fromEntries(new URLSearchParams(question));
    const stop = watchEvents(
      slug,
      { ...filters, latest: `${LATEST}`, uncounted: 'true' },
      {
        onOpen: () => change({ connection: 'open' }),
        onEvent(event) {
          const [now, happenedAt] = [Date.now(), Date.parse(event.record.timestamp)];
          add({ ...event, cameAt: now - happenedAt > EARLIER_MS ? happenedAt : now });
        },
        onUncounted(record, reason) {
          // It is stored nowhere, and its click is that of the counted visit.
          uncounted.current += 1;
          add({
            id: `uncounted ${uncounted.current}`,
            record,
            cameAt: Date.now(),
            uncounted: reason,
          });
        },
        onDropped: (count) =>
          setState((before) => ({ ...before, dropped: before.dropped + count })),
        onBreak: () => change({ connection: 'broken' }),
        onRefused: (refusal) => change({ refusal, connection: 'broken' }),
      },
    );
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [slug, question]);
  return state;
}
