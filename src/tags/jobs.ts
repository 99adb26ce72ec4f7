import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { TagRecord } from './record.ts';

/** Adds a row of the audit log about the tag in the result. */
const audited = { audit: changes('tag') };

export const tagJobs = jobsOf(writes, {
  'tag.create': job<{ id: string; name: string; color: string }, TagRecord>(audited),
  'tag.update': job<{ id: string; name?: string; color?: string }, TagRecord>(audited),
  'tag.delete': job<{ id: string }, { id: string }>(audited),
});
