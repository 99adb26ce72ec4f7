import { domainName, encodeDomain } from '../lookup/codec.ts';
import { domainEntry } from '../lookup/entry.ts';
import type { LookupChange } from '../lookup/publish.ts';
import type { Domain } from './model.ts';

/** The look-up entry of a domain in its present state; only a verified domain has one. */
export function domainChange(row: Domain): LookupChange {
  return {
    name: domainName(row.slug),
    version: row.version,
    entry: row.verified ? encodeDomain(domainEntry(row)) : null,
    announce: true,
  };
}
