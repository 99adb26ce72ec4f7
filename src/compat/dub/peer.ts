import type { Peer } from '../peer.ts';
import { analyticsRoutes } from './analytics.ts';
import { customerRoutes } from './customers.ts';
import { domainRoutes } from './domains.ts';
import { eventRoutes } from './events.ts';
import { linkRoutes } from './links.ts';
import { organizingRoutes } from './organizing.ts';
import { trackRoutes } from './track.ts';
import { unsupportedRoutes } from './unsupported.ts';
import { workspaceRoutes } from './workspace.ts';

/**
 * The API of Dub (https://dub.co/docs/api-reference), for its SDKs. Errors have the same format in
 * this API.
 */
export const dub: Peer = {
  path: '/compat/dub',
  authorization: ({ header }) => header('authorization'),
  routes: [
    ...linkRoutes,
    ...analyticsRoutes,
    ...eventRoutes,
    ...organizingRoutes,
    ...workspaceRoutes,
    ...unsupportedRoutes,
    ...domainRoutes,
    ...customerRoutes,
    ...trackRoutes,
  ],
};
