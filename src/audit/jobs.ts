import { maintenance } from '../queues/index.ts';
import { HOUR_MS, jobsOf, scheduled } from '../queues/job.ts';

export const auditJobs = jobsOf(maintenance, {
  'audit.prune': scheduled({ everyMs: HOUR_MS }),
});
