import { useEffect, useRef, useState } from 'react';
import type { ApiError } from '../api/error.ts';
import { type LiveEvent, watchEvents } from '../api/live-events.ts';
import { useWorkspace } from '../app/workspace.tsx';

/** Events that the list keeps; older ones are in the list of events. */
const KEPT = 500;
/** Time between two renderings, in ms: many visits a second must not each draw the list. */
const DRAW_MS = 200;

/** An event in the list, and when it came, by the clock of the browser. */
export interface ShownEvent extends LiveEvent {
  cameAt: number;
}

interface LiveState {
  /** The newest first. */
  events: readonly ShownEvent[];
  connection: 'connecting' | 'open' | 'broken';
  /** Events that the service left out. */
  dropped: number;
  /** All that came since the view was opened. */
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

/** The events of a workspace as they come, as far as some parameters of the API select them. Others need another component. */
export function useLive(parameters: Record<string, string>): LiveState {
  const { slug } = useWorkspace();
  const [state, setState] = useState(EMPTY);
  const came = useRef<ShownEvent[]>([]);
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
          count: before.count + added.length,
        };
      });
    };
    const stop = watchEvents(slug, Object.fromEntries(new URLSearchParams(question)), {
      onOpen: () => change({ connection: 'open' }),
      onEvent(event) {
        came.current.push({ ...event, cameAt: Date.now() });
        timer ??= setTimeout(draw, DRAW_MS);
      },
      onDropped: (count) => setState((before) => ({ ...before, dropped: before.dropped + count })),
      onBreak: () => change({ connection: 'broken' }),
      onRefused: (refusal) => change({ refusal, connection: 'broken' }),
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [slug, question]);
  return state;
}
