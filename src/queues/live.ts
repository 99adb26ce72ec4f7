import type { Redis, SingleRedis } from '../infra/redis.ts';
import { listenedTo, onMessage, publish, subscribe, unsubscribe } from '../infra/redis-channels.ts';

/*
 * Events on their way to the clients that watch them:
 *
 *   a worker has committed ──▶ channel of the workspace, if an API process listens
 *     ──▶ streams of GET /events/live
 *
 * Redis stores none of them. A client that missed events gets them from the store when it
 * reconnects.
 */

/** An event for the listeners of its workspace. */
interface Sent {
  project_id: string;
}

const channelOf = (projectId: string) => `live:${projectId}`;

/** Maximum number of events in a message, about 200 KiB. */
const PER_MESSAGE = 200;

/**
 * Publishes events to the API processes that listen to their workspaces; a single Redis command if
 * none does.
 */
export async function publishLive(redis: Redis, events: readonly Sent[]): Promise<void> {
  const byChannel = new Map<string, Sent[]>();
  for (const event of events) {
    const channel = channelOf(event.project_id);
    const queued = byChannel.get(channel);
    if (queued === undefined) byChannel.set(channel, [event]);
    else queued.push(event);
  }
  for (const channel of await listenedTo(redis, [...byChannel.keys()])) {
    const queued = byChannel.get(channel)!;
    for (let first = 0; first < queued.length; first += PER_MESSAGE) {
      await publish(redis, channel, JSON.stringify(queued.slice(first, first + PER_MESSAGE)));
    }
  }
}

/** A listener to one workspace. */
export interface LiveListener {
  /** @param events in the published form */
  take(events: unknown[]): void;
  /** Called when events may have been missed and no more will come. */
  end(): void;
}

/** Listens to the events of workspaces over one Redis connection. */
export class LiveChannels {
  readonly #subscriber: SingleRedis;
  readonly #listeners = new Map<string, LiveListener>();

  /** @param subscriber a connection of its own, of `connectSubscriber` */
  constructor(subscriber: SingleRedis) {
    this.#subscriber = subscriber;
    onMessage(subscriber, (channel, message) => {
      this.#listeners.get(channel)?.take(JSON.parse(message) as unknown[]);
    });
    subscriber.on('close', () => this.#endAll());
  }

  /**
   * Resolves once events that are published from then on reach the listener, the only one of the
   * workspace.
   */
  async listen(projectId: string, listener: LiveListener): Promise<void> {
    const channel = channelOf(projectId);
    this.#listeners.set(channel, listener);
    await subscribe(this.#subscriber, channel);
  }

  /** Removes a listener, unless another one has replaced it. */
  async leave(projectId: string, listener: LiveListener): Promise<void> {
    const channel = channelOf(projectId);
    if (this.#listeners.get(channel) !== listener) return;
    this.#listeners.delete(channel);
    await unsubscribe(this.#subscriber, channel).catch(() => {});
  }

  #endAll(): void {
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener.end();
  }

  /** Ends all listeners and the connection. */
  close(): void {
    this.#endAll();
    this.#subscriber.disconnect();
  }
}
