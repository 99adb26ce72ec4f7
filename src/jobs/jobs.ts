import { maintenance } from '../queues/index.ts';
import { jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';

export const outcomeJobs = jobsOf(maintenance, {
  'jobs.expire': scheduled({ everyMs: 5 * MINUTE_MS }),
});
