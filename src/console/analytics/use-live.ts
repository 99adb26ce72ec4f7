import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type Api, answer, type Schemas } from '../api/client.ts';
import type { ApiError } from '../api/error.ts';
import { watchEvents } from '../api/live-events.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { KINDS } from './question.ts';

/** Events that the list keeps; older ones are in the list of events. */
const KEPT = 500;
/** Events that are there at the start. */
const LATEST = 50;
/** Time between two renderings, in ms: many visits a second must not each draw the list. */
const DRAW_MS = 200;

/** An event in the list, and when it came, by the clock of the browser; of earlier ones, when they happened. */
export interface ShownEvent {
  id: string;
  record: Schemas['Event'];
  cameAt: number;
}

/** The events of the stream and of lists have no id in common. */
const keyOf = (record: Schemas['Event']): string =>
  [
    record.event,
    record.timestamp,
    record.click?.id,
    'eventName' in record ? record.eventName : '',
  ].join(' ');

interface LiveState {
  /** The newest first. */
  events: readonly ShownEvent[];
  connection: 'connecting' | 'open' | 'broken';
  /** Events that the service left out. */
  dropped: number;
  /** Number of events since the view was opened. */
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
  const { slug, api } = useWorkspace();
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
        const { record } = event;
        came.current.push({ id: keyOf(record), record, cameAt: Date.now() });
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

  const [wasOpen, setWasOpen] = useState(false);
  if (state.connection === 'open' && !wasOpen) setWasOpen(true);
  const latest = useQuery({
    queryKey: ['events', 'latest', parameters],
    queryFn: ({ signal }) => findLatest(api, parameters, signal),
    // Not before the stream is open, so that no event is missed in between.
    enabled: wasOpen,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  }).data;
  return useMemo(() => {
    if (latest === undefined) return state;
    const known = new Set(state.events.map(({ id }) => id));
    const events = [...state.events, ...latest.filter(({ id }) => !known.has(id))];
    return { ...state, events: events.slice(0, KEPT) };
  }, [state, latest]);
}

/** The latest events of all kinds, newest first. */
async function findLatest(
  api: Api,
  parameters: Record<string, string>,
  signal: AbortSignal,
): Promise<ShownEvent[]> {
  const lists = await Promise.all(
    KINDS.map((event) => {
      const query = { ...parameters, event, interval: '30d', limit: LATEST } as const;
      return answer(api.GET('/events', { params: { query: query as object }, signal }));
    }),
  );
  return lists
    .flat()
    .map((record) => ({ id: keyOf(record), record, cameAt: Date.parse(record.timestamp) }))
    .toSorted((a, b) => b.cameAt - a.cameAt)
    .slice(0, LATEST);
}
