import { writes } from '../../queues/index.ts';
import { changes, job, jobsOf } from '../../queues/job.ts';
import type { TemplateRecord } from './record.ts';
import type { TemplateChanges } from './schema.ts';

/** Each job adds a row to the audit log. */
const audited = { audit: changes('template') };

export const templateJobs = jobsOf(writes, {
  'template.update': job<{ id: string; changes: TemplateChanges }, TemplateRecord>(audited),
  'template.delete': job<{ id: string }, { id: string }>(audited),
});
