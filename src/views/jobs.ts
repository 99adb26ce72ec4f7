import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { ViewRecord } from './record.ts';
import type { NewView, ViewChanges } from './schema.ts';

/** Each job adds a row to the audit log. */
const audited = { audit: changes('view') };

export const viewJobs = jobsOf(writes, {
  'view.create': job<NewView & { id: string; userId: string }, ViewRecord>(audited),
  'view.update': job<{ id: string; userId: string; changes: ViewChanges }, ViewRecord>(audited),
  'view.delete': job<{ id: string; userId: string }, { id: string }>(audited),
});
