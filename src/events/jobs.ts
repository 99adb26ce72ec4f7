import { maintenance } from '../queues/index.ts';
import { HOUR_MS, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';

export const eventJobs = jobsOf(maintenance, {
  'events.partitions': scheduled({ everyMs: HOUR_MS }),
  'events.retain': scheduled({ everyMs: 12 * HOUR_MS }),
  'events.sum': scheduled({ everyMs: 15_000 }),
  'visits.prune': scheduled({ everyMs: 10 * MINUTE_MS }),
});

export const reportJobs = jobsOf(maintenance, {
  'reports.send': scheduled({ everyMs: MINUTE_MS }),
});
