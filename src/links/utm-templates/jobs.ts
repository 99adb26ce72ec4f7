import { writes } from '../../queues/index.ts';
import { changes, job, jobsOf } from '../../queues/job.ts';
import type { UtmTemplateRecord } from './record.ts';
import type { NewUtmTemplate, UtmTemplateChanges } from './schema.ts';

export const utmTemplateJobs = jobsOf(writes, {
  'utmTemplate.create': job<NewUtmTemplate & { id: string }, UtmTemplateRecord>({
    audit: changes('utmTemplate'),
  }),
  'utmTemplate.update': job<{ id: string; changes: UtmTemplateChanges }, UtmTemplateRecord>({
    audit: changes('utmTemplate'),
  }),
  'utmTemplate.delete': job<{ id: string }, { id: string }>({ audit: changes('utmTemplate') }),
});
