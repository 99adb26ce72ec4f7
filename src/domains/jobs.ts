import { maintenance, metatags, writes } from '../queues/index.ts';
import { changes, job, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';
import type { DomainChecks } from './check-record.ts';
import type { DomainRecord } from './record.ts';
import type { DomainChanges, NewDomain } from './schema.ts';

/** A domain to check. */
export interface DomainToCheck {
  id: string;
  slug: string;
  verified: boolean;
  token: string;
}

export const domainJobs = jobsOf(writes, {
  'domain.create': job<NewDomain & { id: string }, DomainRecord>({ audit: changes('domain') }),
  'domain.update': job<{ id: string; changes: DomainChanges }, DomainRecord>({
    audit: changes('domain'),
  }),
  'domain.verify': job<{ id: string }, DomainRecord>({ audit: changes('domain') }),
  'domain.delete': job<{ id: string }, { id: string }>({ audit: changes('domain') }),
});

export const domainCheckJobs = jobsOf(metatags, {
  /** Checks DNS records, server and certificate of a domain. */
  'domain.check': job<DomainToCheck, DomainChecks>(),
});

export const domainMaintenanceJobs = jobsOf(maintenance, {
  'domains.check': scheduled({ everyMs: 5 * MINUTE_MS }),
});
