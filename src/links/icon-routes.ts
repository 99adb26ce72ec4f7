import { iconRoutes } from '../metatags/icon-routes.ts';
import { linkQueries } from './queries.ts';
import { linkParams } from './schema.ts';

/** Endpoint of the icons of links. */
export const linkIconRoutes = iconRoutes({
  kind: 'link',
  tag: 'Links',
  path: '/links/{linkId}',
  params: linkParams,
  findByRef: (projectId, ref) => linkQueries.findByRef(projectId, ref),
});
