import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { PageRecord } from './record.ts';
import type { NewPage, PageChanges } from './schema.ts';

export const pageJobs = jobsOf(writes, {
  'page.create': job<{ id: string; page: NewPage }, PageRecord>({ audit: changes('page') }),
  'page.update': job<{ id: string; changes: PageChanges }, PageRecord>({ audit: changes('page') }),
  'page.delete': job<{ id: string }, { id: string }>({ audit: changes('page') }),
});
