import type { StoredChanges } from '../short-links/history.ts';
import { type ShownChanges, toShownChanges } from '../short-links/history-record.ts';
import { historyRoutes } from '../short-links/history-routes.ts';
import { linkJobs } from './jobs.ts';
import { LINK_TABLES } from './model.ts';
import { linkQueries } from './queries.ts';
import { linkRecord } from './record.ts';
import { linkParams } from './schema.ts';

/** Names of the own fields of links by column. */
const FIELDS = { url: 'url', video: 'video', imported_clicks: 'importedClicks' };

/** Converts stored changes of a link to fields. */
export const toShownLink = (changes: StoredChanges): ShownChanges =>
  toShownChanges(changes, FIELDS);

/** Endpoints of the history of links. */
export const linkHistoryRoutes = historyRoutes({
  tables: LINK_TABLES,
  tag: 'Links',
  path: '/links/{linkId}',
  params: linkParams,
  record: linkRecord,
  findByRef: (projectId, ref) => linkQueries.findByRef(projectId, ref),
  toShown: toShownLink,
  revert: linkJobs['link.revert'],
});
