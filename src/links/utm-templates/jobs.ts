import { writes } from '../../queues/index.ts';
import { changes, job, jobsOf } from '../../queues/job.ts';
import type { UtmTemplateRecord } from './record.ts';
import type { NewUtmTemplate, UtmTemplateChanges } from './schema.ts';

/** Each job adds a row to the audit log. */
const audited = { audit: changes('utmTemplate') };

export const utmTemplateJobs = jobsOf(writes, {
  /** Releases before 0.6 added jobs without `userId`. */
  'utmTemplate.create': job<
    NewUtmTemplate & { id: string; userId?: string | undefined },
    UtmTemplateRecord
  >(audited),
  'utmTemplate.update': job<{ id: string; changes: UtmTemplateChanges }, UtmTemplateRecord>(
    audited,
  ),
  'utmTemplate.delete': job<{ id: string }, { id: string }>(audited),
});
