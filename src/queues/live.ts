import type { Redis } from 'ioredis';
import type { EventRow } from '../events/event.ts';

/*
 * Events on their way to the clients that watch them:
 *
 *   a worker has committed ──▶ channel of the workspace, if an API process listens ──▶ streams of GET /events/live
 *
 * Nothing is kept in Redis. A client that missed events gets them from the store when it connects again.
 */

const channelOf = (projectId: string) => `live:${projectId}`;

/** Events of one message, about 200 KiB. */
const PER_MESSAGE = 200;

/** Sends committed events to the API processes that listen to their workspaces; one command of Redis if none does. */
export async function publishLive(redis: Redis, events: readonly EventRow[]): Promise<void> {
  const byChannel = new Map<string, EventRow[]>();
  for (const event of events) {
    const channel = channelOf(event.project_id);
    const own = byChannel.get(channel);
    if (own === undefined) byChannel.set(channel, [event]);
    else own.push(event);
  }
  const counts = (await redis.pubsub('NUMSUB', ...byChannel.keys())) as (string | number)[];
  for (let at = 0; at < counts.length; at += 2) {
    if (Number(counts[at + 1]) === 0) continue;
    const channel = String(counts[at]);
    const own = byChannel.get(channel)!;
    for (let first = 0; first < own.length; first += PER_MESSAGE) {
      await redis.publish(channel, JSON.stringify(own.slice(first, first + PER_MESSAGE)));
    }
  }
}

/** What listens to one workspace. */
export interface LiveListener {
  take(events: EventRow[]): void;
  /** Events may have been missed from here on, and none will come. */
  end(): void;
}

/** Listens to the events of workspaces over one connection to Redis. */
export class LiveChannels {
  readonly #subscriber: Redis;
  readonly #listeners = new Map<string, LiveListener>();

  /** @param subscriber a connection that is used for nothing else, and doesn't subscribe again by itself */
  constructor(subscriber: Redis) {
    this.#subscriber = subscriber;
    subscriber.on('message', (channel: string, message: string) => {
      this.#listeners.get(channel)?.take(JSON.parse(message) as EventRow[]);
    });
    subscriber.on('close', () => this.#endAll());
  }

  /** Resolves when events that are published from now on reach the listener, the only one of the workspace. */
  async listen(projectId: string, listener: LiveListener): Promise<void> {
    const channel = channelOf(projectId);
    this.#listeners.set(channel, listener);
    await this.#subscriber.subscribe(channel);
  }

  /** Lets go of a listener, unless another one has taken its place. */
  async leave(projectId: string, listener: LiveListener): Promise<void> {
    const channel = channelOf(projectId);
    if (this.#listeners.get(channel) !== listener) return;
    this.#listeners.delete(channel);
    await this.#subscriber.unsubscribe(channel).catch(() => {});
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
