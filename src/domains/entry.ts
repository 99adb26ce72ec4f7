import { domainEntry, encodeDomain } from '../lookup/entry.ts';
import { domainName, type LookupChange } from '../lookup/publish.ts';
import type { Domain } from './model.ts';

/** What redirect processes must learn of a domain as it is now: only a verified one resolves. */
export function domainChange(row: Domain): LookupChange {
  return {
    name: domainName(row.slug),
    version: row.version,
    entry: row.verified ? encodeDomain(domainEntry(row)) : null,
    announce: true,
  };
}
