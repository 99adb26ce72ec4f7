import { toSharedBody } from '../short-links/scheduled-record.ts';
import { scheduledRoutes } from '../short-links/scheduled-routes.ts';
import { linkJobs } from './jobs.ts';
import { LINK_TABLES } from './model.ts';
import { linkQueries } from './queries.ts';
import { type LinkChanges, linkParams } from './schema.ts';

/** Endpoints of the scheduled changes of links. */
export const linkScheduledRoutes = scheduledRoutes({
  tables: LINK_TABLES,
  tag: 'Links',
  path: '/links/{linkId}',
  params: linkParams,
  findByRef: (projectId, ref) => linkQueries.findByRef(projectId, ref),
  toShown: (changes) => toSharedBody(changes as LinkChanges),
  unschedule: linkJobs['link.unschedule'],
});
