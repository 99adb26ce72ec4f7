import { domainName, encodeDomain, encodeSiteFiles, siteFilesName } from '../lookup/codec.ts';
import { domainEntry, siteFilesEntry } from '../lookup/entry.ts';
import type { LookupChange } from '../lookup/publish.ts';
import type { Domain } from './model.ts';

/** Returns the look-up entries of a domain in its current state; only a verified domain has any. */
export function domainChanges(row: Domain, isGone = false): LookupChange[] {
  const { slug, version } = row;
  const verified = row.verified && !isGone;
  const files = verified ? siteFilesEntry(row) : undefined;
  return [
    {
      name: domainName(slug),
      version,
      entry: verified ? encodeDomain(domainEntry(row)) : null,
      announce: true,
    },
    {
      name: siteFilesName(row.id),
      version,
      entry: files === undefined ? null : encodeSiteFiles(files),
      // No process caches them.
      announce: false,
    },
  ];
}
