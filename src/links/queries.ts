import { type Db, db } from '../infra/db.ts';
import { RecordQueries } from '../records/queries.ts';
import { loadReferences } from '../records/references.ts';
import { writeUtm } from './destination.ts';
import { LINK_FILTERS } from './filters.ts';
import { LINKS } from './kind.ts';
import { Link, type LinkRow } from './model.ts';
import type { NewLink } from './schema.ts';

/** Reads of links. */
export const linkQueries = new RecordQueries(LINKS, LINK_FILTERS);

/**
 * The id of the link that an upsert changes: the one with the external id; without an external id, the one on the domain
 * with the key; without a key, the newest on the domain with the same destination.
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
  // The domain is not the workspace's: there is nothing on it, and nothing can be made.
  if (domain_id === undefined) return undefined;
  return findNewest(
    connection,
    projectId,
    link.key === undefined
      ? { domain_id, url: writeUtm(link.url, link) }
      : { domain_id, key: link.key },
  );
}

/** The id of the newest link whose columns have these values. */
async function findNewest(
  connection: Db,
  projectId: string,
  columns: Partial<LinkRow>,
): Promise<string | undefined> {
  const row = await Link.of(projectId, connection)
    .where(columns)
    .orderBy('id', 'desc')
    .select('id')
    .first();
  return row?.id;
}
