import { destinations, maintenance, writes } from '../queues/index.ts';
import { changes, concerns, HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { DestinationRecord } from './record.ts';
import type { DestinationChanges, NewDestination, Period } from './schema.ts';

const audited = { audit: changes('destination') };

export const eventDestinationJobs = jobsOf(writes, {
  /** Secrets are sealed. */
  'destination.create': job<NewDestination & { id: string }, DestinationRecord>(audited),
  'destination.update': job<{ id: string; changes: DestinationChanges }, DestinationRecord>(
    audited,
  ),
  'destination.delete': job<{ id: string }, { id: string }>(audited),
  'destination.backfill': job<Period & { id: string; backfillId: string }, DestinationRecord>({
    audit: concerns('destination'),
  }),
  'destination.test': job<{ id: string; testId: string }, DestinationRecord>({
    audit: concerns('destination'),
  }),
});

export const sendingJobs = jobsOf(destinations, {
  /** Sends what waits for a destination. At most one such job runs per destination. */
  'destination.send': job<{ id: string }>(),
  /** Finds destinations for which something waits: retries, and events whose job was lost. */
  'destinations.sweep': scheduled({ everyMs: 5_000 }),
});

export const destinationMaintenanceJobs = jobsOf(maintenance, {
  /** Deletes events that have waited too long. */
  'destinations.prune': scheduled({ everyMs: HOUR_MS }),
});
