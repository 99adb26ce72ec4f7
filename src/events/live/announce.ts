import { cacheRedis } from '../../infra/redis.ts';
import { publishLive } from '../../queues/live.ts';
import type { EventRow, LiveRow } from '../event.ts';

/**
 * Sends committed events and uncounted visits to the live streams. Nothing waits for it and nothing
 * fails because of it: clients find missed events in the store. Nothing is sent while Redis is
 * down, so that commands do not pile up.
 */
export function announceEvents(events: readonly LiveRow[]): void {
  if (events.length === 0) return;
  const redis = cacheRedis();
  if (redis.status === 'ready') publishLive(redis, events).catch(() => {});
}

/**
 * Maximum number of uncounted visits sent per batch, so that they do not crowd out counted events.
 */
const MAX_UNCOUNTED = 50;

/** Marks visits as repeats of an earlier visit, for {@link announceEvents}. */
export const asRepeats = (rows: readonly EventRow[]): LiveRow[] =>
  rows.slice(0, MAX_UNCOUNTED).map((row) => ({ ...row, uncounted: 'repeat' }));
