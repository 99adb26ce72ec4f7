import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { SealedReport } from './record.ts';
import type { NewReport, ReportChanges } from './schema.ts';

/** A new token of a URL. */
export interface NewToken {
  /** Sealed, as the row has it. */
  token: string;
  tokenHash: string;
}

/** The data of a job that creates a report; its password is an Argon2 hash. */
export interface CreateReport extends NewReport, NewToken {
  id: string;
}

/** Each job adds a row to the audit log. */
const audited = { audit: changes('sharedReport') };

export const sharedReportJobs = jobsOf(writes, {
  'sharedReport.create': job<CreateReport, SealedReport>(audited),
  /** The password among the changes is an Argon2 hash. */
  'sharedReport.update': job<{ id: string; changes: ReportChanges }, SealedReport>(audited),
  'sharedReport.rotate': job<{ id: string } & NewToken, SealedReport>(audited),
  'sharedReport.delete': job<{ id: string }, { id: string }>(audited),
});
