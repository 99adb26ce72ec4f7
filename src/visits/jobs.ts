import { clicks } from '../queues/index.ts';
import { job, jobsOf } from '../queues/job.ts';
import type { VisitBatch } from './batch.ts';
import type { LeftOutCount } from './left-out.ts';
import type { SentReport } from './report.ts';
import type { TrackedClick, Visit } from './visit.ts';

export const visitJobs = jobsOf(clicks, {
  /** Takes further batches while it waits. Releases before 0.6 added plain visits. */
  'visits.record': job<VisitBatch | Visit[]>({ isExtensible: true }),
  /** Records a click that another redirect service reports. */
  'click.track': job<TrackedClick, { clickId: string }>({ attempts: 12 }),
  /** Adds to the counts of requests that are not counted as visits. */
  'leftOut.add': job<{ counts: LeftOutCount[] }>({ attempts: 12 }),
  /** Records a visitor's report of a link, for the operator. */
  'report.add': job<SentReport>({ attempts: 12 }),
});
