import { changes } from '../../audit/rules.ts';
import { writes } from '../../queues/index.ts';
import { job, jobsOf } from '../../queues/job.ts';

export const templateJobs = jobsOf(writes, {
  'template.delete': job<{ id: string }, { id: string }>({ audit: changes('template') }),
});
