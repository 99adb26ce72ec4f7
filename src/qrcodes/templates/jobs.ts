import { writes } from '../../queues/index.ts';
import { changes, job, jobsOf } from '../../queues/job.ts';

export const templateJobs = jobsOf(writes, {
  'template.delete': job<{ id: string }, { id: string }>({ audit: changes('template') }),
});
