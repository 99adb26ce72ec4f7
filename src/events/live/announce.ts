import { cacheRedis } from '../../infra/redis.ts';
import { publishLive } from '../../queues/live.ts';
import type { EventRow } from '../event.ts';

/**
 * Sends committed events to the clients that watch them. Nothing waits for it, and nothing fails by it: what a client
 * misses is in the store. While Redis is away nothing is sent, so that no commands pile up.
 */
export function announceEvents(events: readonly EventRow[]): void {
  if (events.length === 0) return;
  const redis = cacheRedis();
  if (redis.status === 'ready') publishLive(redis, events).catch(() => {});
}
