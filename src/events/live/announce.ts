import { cacheRedis } from '../../infra/redis.ts';
import { publishLive } from '../../queues/live.ts';
import type { EventRow, LiveRow } from '../event.ts';

/**
 * Sends committed events, and visits that are not counted, to the clients that watch them. Nothing waits for it, and
 * nothing fails by it: clients find missed events in the store. While Redis is away nothing is sent, so that no commands
 * pile up.
 */
export function announceEvents(events: readonly LiveRow[]): void {
  if (events.length === 0) return;
  const redis = cacheRedis();
  if (redis.status === 'ready') publishLive(redis, events).catch(() => {});
}

/** Most uncounted visits of one batch that are sent: they must not crowd out what people watch. */
const MOST_UNCOUNTED = 50;

/** Visits that count as one with an earlier visit, as {@link announceEvents} takes them. */
export const asRepeats = (rows: readonly EventRow[]): LiveRow[] =>
  rows.slice(0, MOST_UNCOUNTED).map((row) => ({ ...row, uncounted: 'repeat' }));
