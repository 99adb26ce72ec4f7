import type { Db } from '../infra/db.ts';
import { RecordQueries } from '../records/queries.ts';
import { LINK_FILTERS } from './filters.ts';
import { LINKS } from './kind.ts';
import { Link, type LinkRow } from './model.ts';

/** Reads of links. */
export const linkQueries = new RecordQueries(LINKS, LINK_FILTERS);

/** The id of the newest link whose columns have these values. */
export async function findLinkId(
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
