import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { ViewRecord } from './record.ts';
import type { NewView, ViewChanges } from './schema.ts';

export const viewJobs = jobsOf(writes, {
  'view.create': job<NewView & { id: string; userId: string }, ViewRecord>({
    audit: changes('view'),
  }),
  'view.update': job<{ id: string; userId: string; changes: ViewChanges }, ViewRecord>({
    audit: changes('view'),
  }),
  'view.delete': job<{ id: string; userId: string }, { id: string }>({ audit: changes('view') }),
});
