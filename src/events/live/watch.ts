import { setTimeout as sleep } from 'node:timers/promises';
import { config } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { withinLimits } from '../../infra/limits.ts';
import { liveStreams } from '../../infra/metrics.ts';
import type { LiveChannels, LiveListener } from '../../queues/live.ts';
import type { LiveRow, StoredEvent, UncountedReason } from '../event.ts';
import type { EventRecords } from '../records.ts';
import type { Matcher } from './matcher.ts';
import { LiveStream, messageOf, uncountedMessageOf } from './stream.ts';

/** Maximum number of streams of one workspace in one process. */
const MAX_STREAMS = 20;
/**
 * Maximum number of events of one workspace whose records are still to be read; above it, the
 * oldest are dropped.
 */
const MAX_PENDING = 500;
/**
 * Number of events whose records are read together, and the pause after each such read, in ms: at
 * most 500 events a second.
 */
const MAX_READ = 100;
const PAUSE_MS = 200;

/** A connected client: the events it wants, and the stream they go to. */
export interface Watcher {
  stream: LiveStream;
  matches: Matcher;
  /** True if the client wants uncounted visits as well. */
  wantsUncounted: boolean;
}

/** An event and the clients that get it. */
interface Pending {
  event: StoredEvent;
  /** Reason why the visit is not counted; absent for a stored event. */
  uncounted: UncountedReason | undefined;
  watchers: Watcher[];
}

/** The streams of one workspace. The record of an event is read once for all of them. */
class WatchedWorkspace implements LiveListener {
  readonly watchers = new Set<Watcher>();
  readonly #projectId: string;
  readonly #toEvents: EventRecords['toEvents'];
  #pending: Pending[] = [];
  #isSending = false;

  constructor(projectId: string, toEvents: EventRecords['toEvents']) {
    this.#projectId = projectId;
    this.#toEvents = toEvents;
  }

  take(rows: LiveRow[]): void {
    for (const { uncounted, ...row } of rows) {
      const event: StoredEvent = { ...row, occurred_at: new Date(row.occurred_at) };
      const watchers = [...this.watchers].filter(
        ({ matches, wantsUncounted }) =>
          (uncounted === undefined || wantsUncounted) && matches(event),
      );
      if (watchers.length > 0) this.#pending.push({ event, uncounted, watchers });
    }
    const above = Math.max(0, this.#pending.length - MAX_PENDING);
    for (const { watchers } of this.#pending.splice(0, above)) {
      for (const { stream } of watchers) stream.drop(1);
    }
    // A failed read ends the streams: their clients reconnect and get what they missed.
    if (!this.#isSending) this.#send().catch(() => this.end());
  }

  end(): void {
    this.#pending = [];
    for (const { stream } of this.watchers) stream.end();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#pending.length > 0) {
        const batch = this.#pending.splice(0, MAX_READ);
        // Outside of the limits of the request that opened the connection to Redis.
        const records = await withinLimits(undefined, () =>
          this.#toEvents(
            this.#projectId,
            batch.map(({ event }) => event),
          ),
        );
        for (const [at, { event, uncounted, watchers }] of batch.entries()) {
          const record = records[at]!;
          const message =
            uncounted === undefined
              ? messageOf(event, record)
              : uncountedMessageOf(record, uncounted);
          for (const { stream } of watchers) stream.push(message);
        }
        await sleep(PAUSE_MS, undefined, { ref: false });
      }
    } finally {
      this.#isSending = false;
    }
  }
}

/** All live streams of a process. */
export class LiveEvents {
  readonly #toEvents: EventRecords['toEvents'];
  readonly #workspaces = new Map<string, WatchedWorkspace>();
  #count = 0;

  /** @param toEvents makes the event records that `GET /events` returns */
  constructor(toEvents: EventRecords['toEvents']) {
    this.#toEvents = toEvents;
  }

  /**
   * Opens a stream. Resolves when every event committed from now on reaches it.
   *
   * @param onClose registers a callback for the end of the client's connection
   * @throws Refusal `rate_limit_exceeded` when the workspace or the process has too many streams
   */
  async open(
    channels: LiveChannels,
    projectId: string,
    {
      matches,
      wantsUncounted,
      onClose,
    }: Pick<Watcher, 'matches' | 'wantsUncounted'> & { onClose(act: () => void): void },
  ): Promise<Watcher> {
    const limit = config().LIVE_STREAMS;
    if (this.#count >= limit) throw tooMany(`This server sends at most ${limit} live streams`);
    const workspace =
      this.#workspaces.get(projectId) ?? new WatchedWorkspace(projectId, this.#toEvents);
    if (workspace.watchers.size >= MAX_STREAMS) {
      throw tooMany(`The workspace may have ${MAX_STREAMS} live streams at a time`);
    }
    const watcher: Watcher = { stream: new LiveStream(), matches, wantsUncounted };
    this.#workspaces.set(projectId, workspace);
    workspace.watchers.add(watcher);
    this.#count += 1;
    liveStreams.set(this.#count);
    onClose(() => this.#leave(channels, projectId, workspace, watcher));
    // Needed even if the workspace already has streams: the command of the first one may still be
    // running.
    await channels.listen(projectId, workspace);
    return watcher;
  }

  #leave(
    channels: LiveChannels,
    projectId: string,
    workspace: WatchedWorkspace,
    watcher: Watcher,
  ): void {
    watcher.stream.end();
    workspace.watchers.delete(watcher);
    this.#count -= 1;
    liveStreams.set(this.#count);
    if (workspace.watchers.size > 0) return;
    this.#workspaces.delete(projectId);
    void channels.leave(projectId, workspace);
  }
}

const tooMany = (what: string): Refusal =>
  new Refusal('rate_limit_exceeded', `${what}; close another one first`);
