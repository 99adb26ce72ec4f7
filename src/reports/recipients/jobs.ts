import { maintenance, writes } from '../../queues/index.ts';
import { changes, HOUR_MS, job, jobsOf, MINUTE_MS, scheduled } from '../../queues/job.ts';
import type { RecipientRecord } from './record.ts';
import type { NewRecipient } from './schema.ts';

/** A recipient of a report. */
export interface RecipientOf {
  reportId: string;
  id: string;
}

const audited = { audit: changes('reportRecipient') };

export const reportRecipientJobs = jobsOf(writes, {
  'reportRecipient.create': job<NewRecipient & RecipientOf, RecipientRecord>(audited),
  'reportRecipient.resend': job<RecipientOf, RecipientRecord>(audited),
  'reportRecipient.delete': job<RecipientOf, { id: string }>(audited),
  /** Confirms by the hash of a token. The result is false if the token is no longer valid. */
  'reportRecipient.confirm': job<{ tokenHash: string }, boolean>(),
  'reportRecipient.unsubscribe': job<{ id: string }>(),
});

export const reportMailJobs = jobsOf(maintenance, {
  'sharedReports.mail': scheduled({ everyMs: MINUTE_MS }),
  'reportRecipients.prune': scheduled({ everyMs: HOUR_MS }),
});
