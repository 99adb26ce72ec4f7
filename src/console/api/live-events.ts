import { createParser } from 'eventsource-parser';
import type { Schemas } from './client.ts';
import { ApiError } from './error.ts';

/** An event of the stream; `id` is the position to resume after. */
export interface LiveEvent {
  id: string;
  record: Schemas['Event'];
}

interface Listener {
  onOpen(): void;
  onEvent(event: LiveEvent): void;
  /** Called for a visit that was not counted, with the reason. */
  onUncounted(record: Schemas['Event'], reason: string): void;
  /** Called when the service dropped events from the stream. */
  onDropped(count: number): void;
  /** Called when the stream ends; it reconnects after `pauseMs`. */
  onBreak(pauseMs: number): void;
  /** Called when the API refuses the stream; it does not reconnect. */
  onRefused(error: ApiError): void;
}

/** Shortest and longest pause before a reconnection, in ms. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Silence after which a connection is closed, in ms; the API sends a comment every 15 s. */
const SILENCE_MS = 40_000;

/**
 * Reads `GET /events/live` and reconnects after a break, resuming after the last event.
 * `EventSource` is not used because it cannot send the workspace's header.
 *
 * @param search query string with the filters
 * @returns a function that ends the stream
 */
export function watchEvents(workspace: string, search: string, listener: Listener): () => void {
  const stop = new AbortController();
  void run(workspace, search, listener, stop.signal);
  return () => stop.abort();
}

async function run(
  workspace: string,
  search: string,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  let lastId = '';
  let failures = 0;
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (event === 'dropped') {
        listener.onDropped((JSON.parse(data) as { count: number }).count);
        return;
      }
      if (event === 'uncounted') {
        const { reason, ...record } = JSON.parse(data) as Schemas['Event'] & { reason: string };
        listener.onUncounted(record as Schemas['Event'], reason);
        return;
      }
      if (id !== undefined) lastId = id;
      listener.onEvent({ id: lastId, record: JSON.parse(data) as Schemas['Event'] });
    },
  });
  while (!signal.aborted) {
    let pauseMs: number | undefined;
    const attempt = attemptOf(signal);
    try {
      const body = await open(workspace, search, lastId, attempt.signal);
      listener.onOpen();
      failures = 0;
      const text = new TextDecoder();
      const reader = body.getReader();
      for (;;) {
        attempt.noteLife();
        const { done, value } = await reader.read();
        if (done) break;
        parser.feed(text.decode(value, { stream: true }));
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError) {
        if (!error.isPassing) return listener.onRefused(error);
        pauseMs = error.retryAfterMs;
      }
    } finally {
      attempt.end();
    }
    parser.reset();
    // Jitter keeps the clients from reconnecting to a restarted service all at once.
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
    failures += 1;
    pauseMs ??= longest * (0.5 + Math.random() / 2);
    listener.onBreak(pauseMs);
    await pause(pauseMs, signal);
  }
}

/**
 * Opens one connection, and aborts it after a long silence: a lost network would otherwise go
 * unnoticed for minutes.
 */
function attemptOf(signal: AbortSignal) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let timer = setTimeout(abort, SILENCE_MS);
  addEventListener('offline', abort);
  signal.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    noteLife() {
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE_MS);
    },
    end() {
      clearTimeout(timer);
      removeEventListener('offline', abort);
      signal.removeEventListener('abort', abort);
    },
  };
}

async function open(
  workspace: string,
  search: string,
  lastId: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(`/events/live?${search}`, {
    headers: { 'X-Workspace': workspace, ...(lastId !== '' && { 'Last-Event-ID': lastId }) },
    cache: 'no-store',
    signal,
  });
  if (!response.ok) throw await ApiError.of(response);
  return response.body!;
}

/** Waits for `ms`, or until the browser is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}
