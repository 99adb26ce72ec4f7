import { bulk, maintenance, writes } from '../queues/index.ts';
import { changes, concerns, job, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';
import type { Applied } from '../short-links/apply-scheduled.ts';
import type { Revert } from '../short-links/revert.ts';
import type { Scheduling, Unscheduling } from '../short-links/scheduled.ts';
import type { ScheduledChange } from '../short-links/scheduled-record.ts';
import type { BulkInput, EventsOnDelete } from '../short-links/schema.ts';
import type { BulkLinkItem, SealedLink } from './record.ts';
import type { LinkChanges, NewLink } from './schema.ts';

/** Each job adds a row to the audit log. */
const audited = { audit: changes('link') };
const concerning = { audit: concerns('link') };

export const linkJobs = jobsOf(writes, {
  'link.create': job<{ userId: string; link: NewLink }, SealedLink>(audited),
  /**
   * The result has the id of this job's link if it was created, otherwise the id of the existing
   * link.
   */
  'link.upsert': job<{ userId: string; link: NewLink }, SealedLink>(audited),
  'link.update': job<{ linkId: string; changes: LinkChanges }, SealedLink>(audited),
  'link.delete': job<{ linkId: string; events?: EventsOnDelete }, { id: string }>(audited),
  'link.revert': job<Revert, SealedLink>(audited),
  'link.reset': job<{ linkId: string }, SealedLink>(audited),
  'link.schedule': job<Scheduling<LinkChanges>, ScheduledChange>(concerning),
  'link.unschedule': job<Unscheduling, { id: string }>(concerning),
  /** Applies the due changes of a link. Each adds the row of an update to the audit log. */
  'link.apply': job<{ id: string }, Applied>(),
});

export const linkBulkJobs = jobsOf(bulk, {
  'links.create': job<
    { userId: string; links: BulkInput<NewLink>[]; sent?: string | undefined },
    BulkLinkItem[]
  >(audited),
  'links.update': job<{ linkIds: string[]; changes: LinkChanges }, BulkLinkItem[]>(audited),
  'links.delete': job<{ linkIds: string[]; events?: EventsOnDelete }, { deletedCount: number }>(
    audited,
  ),
});

export const linkMaintenanceJobs = jobsOf(maintenance, {
  /** Announces links that have expired. */
  'links.expire': scheduled({ everyMs: MINUTE_MS }),
  'destinations.check': scheduled({ everyMs: MINUTE_MS }),
});
