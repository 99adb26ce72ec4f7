import { type Db, db } from '../infra/db.ts';
import { writeUtm } from '../short-links/destination.ts';
import { hasDestination } from '../short-links/destination-match.ts';
import { ShortLinkQueries } from '../short-links/queries.ts';
import { hidePassword } from '../short-links/record.ts';
import { loadReferences } from '../short-links/references.ts';
import { CHECK_COLUMN } from './destination-state.ts';
import { LINK_FILTERS, type LinkFilters } from './filters.ts';
import { LINK_TABLES, Link, type LinkRow } from './model.ts';
import { type SealedLink, toSealedLink } from './record.ts';
import type { NewLink } from './schema.ts';

/** Reads of links. */
export const linkQueries = new ShortLinkQueries<Link, SealedLink, LinkFilters>({
  tables: LINK_TABLES,
  rows: (projectId, connection) => Link.of(projectId, connection),
  filters: LINK_FILTERS,
  columns: [CHECK_COLUMN],
  toRecord: toSealedLink,
  hide: hidePassword,
});

/**
 * Finds the link that an upsert changes: the one with the external id; without an external id, the
 * one with the domain and key; without a key, the newest on the domain with the same destination.
 */
export async function findTwin(
  projectId: string,
  link: NewLink,
  connection: Db = db(),
): Promise<string | undefined> {
  if (typeof link.externalId === 'string') {
    return findNewest(connection, projectId, { external_id: link.externalId });
  }
  const { mainDomain, domain } = await loadReferences(connection, projectId, []);
  const domain_id = (link.domain === undefined ? mainDomain : domain(link.domain))?.id;
  // The workspace does not own the domain, so it has no links there and can create none.
  if (domain_id === undefined) return undefined;
  return link.key === undefined
    ? findNewest(connection, projectId, { domain_id }, writeUtm(link.url, link))
    : findNewest(connection, projectId, { domain_id, key: link.key });
}

/** Finds the newest link with these column values and, if one is given, this destination. */
async function findNewest(
  connection: Db,
  projectId: string,
  columns: Partial<LinkRow>,
  destination?: string,
): Promise<string | undefined> {
  const query = Link.of(projectId, connection).where(columns);
  if (destination !== undefined) query.whereRaw(...hasDestination('links', destination));
  const row = await query.orderBy('id', 'desc').select('id').first();
  return row?.id;
}
