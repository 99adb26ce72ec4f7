import { images, maintenance, writes } from '../../queues/index.ts';
import { changes, HOUR_MS, job, jobsOf, scheduled } from '../../queues/job.ts';
import type { FontRecord } from './record.ts';
import type { NewFont } from './schema.ts';

/** Each job adds a row to the audit log. */
const audited = { audit: changes('font') };

/** Fonts are fetched and read where images are. */
export const fontJobs = jobsOf(images, {
  'font.create': job<NewFont & { id: string }, FontRecord>({ ...audited, attempts: 5 }),
});

export const fontWriteJobs = jobsOf(writes, {
  'font.delete': job<{ id: string }, { id: string }>(audited),
});

export const fontMaintenanceJobs = jobsOf(maintenance, {
  'fonts.prune': scheduled({ everyMs: HOUR_MS }),
});
