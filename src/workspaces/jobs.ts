import { writes } from '../queues/index.ts';
import { job, jobsOf } from '../queues/job.ts';

export const keyUseJobs = jobsOf(writes, {
  'apiKey.used': job<{ apiKeyId: string; at: string }>(),
});
