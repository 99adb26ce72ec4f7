import { clicks, maintenance, writes } from '../queues/index.ts';
import { HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { ReportAnswer } from './schema.ts';

export const adminJobs = jobsOf(writes, {
  'host.block': job<{ host: string; reason: string }, { host: string }>(),
  'host.unblock': job<{ host: string }, { host: string }>(),
  'link.unblock': job<{ id: string }, { id: string }>(),
  'report.answer': job<{ id: string; answer: ReportAnswer }, { id: string }>(),
});

export const rejectedVisitJobs = jobsOf(clicks, {
  /** Retries or deletes a rejected visit for an operator. */
  'rejected.retry': job<{ id: string }, { isStored: boolean }>({ attempts: 3 }),
  'rejected.discard': job<{ id: string }, { id: string }>({ attempts: 3 }),
});

export const adminMaintenanceJobs = jobsOf(maintenance, {
  /** Deletes the data of people who sent abuse reports. */
  'abuse.prune': scheduled({ everyMs: HOUR_MS }),
});
