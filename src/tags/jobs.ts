import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { TagRecord } from './record.ts';

export const tagJobs = jobsOf(writes, {
  'tag.create': job<{ id: string; name: string; color: string }, TagRecord>({
    audit: changes('tag'),
  }),
  'tag.update': job<{ id: string; name?: string; color?: string }, TagRecord>({
    audit: changes('tag'),
  }),
  'tag.delete': job<{ id: string }, { id: string }>({ audit: changes('tag') }),
});
