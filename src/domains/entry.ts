import { type DomainEntry, encodeDomain } from '../lookup/entry.ts';
import { domainName, type LookupChange } from '../lookup/publish.ts';
import type { Domain } from './model.ts';

/** What redirect processes must learn of a domain as it is now: only a verified one resolves. */
export function domainChange(row: Domain): LookupChange {
  const entry: DomainEntry = { id: row.id, projectId: row.project_id };
  if (row.target !== null) entry.target = row.target;
  if (row.expired_url !== null) entry.expiredUrl = row.expired_url;
  return {
    name: domainName(row.slug),
    version: row.version,
    entry: row.verified ? encodeDomain(entry) : null,
    announce: true,
  };
}
