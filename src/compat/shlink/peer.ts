import type { Peer, PeerRoute } from '../peer.ts';
import { domainRoutes } from './domains.ts';
import { bearer, Problem, toEarlierProblem, toProblem } from './problem.ts';
import { ruleRoutes } from './rules.ts';
import { shortUrlRoutes } from './short-urls.ts';
import { tagRoutes } from './tags.ts';
import { visitRoutes } from './visits.ts';

/** Imitated version of Shlink; clients leave out later features. */
const VERSION = '4.4.0';

const healthRoute: PeerRoute = {
  method: 'get',
  path: '/health',
  async answer({ isReady }) {
    const isUp = await isReady();
    return {
      status: isUp ? 200 : 503,
      headers: { 'Content-Type': 'application/health+json' },
      body: {
        status: isUp ? 'pass' : 'fail',
        version: VERSION,
        links: { about: 'https://shlink.io', project: 'https://github.com/shlinkio/shlink' },
      },
    };
  },
};

const mercureRoute: PeerRoute = {
  method: 'get',
  path: '/mercure-info',
  answer: () =>
    Promise.reject(
      new Problem(
        'forbidden',
        'mercure-not-configured',
        'Mercure integration not configured',
        'This Shlink instance is not integrated with a mercure hub.',
        { status: 501 },
      ),
    ),
};

const common: Pick<Peer, 'authorization' | 'toError'> = {
  authorization: ({ header }) => bearer(header('x-api-key')),
  toError: toProblem,
};

/** The part of Shlink's API without a version, which is in its versions as well. */
export const shlinkWithoutVersion: Peer = {
  ...common,
  path: '/compat/shlink/rest',
  routes: [healthRoute],
};

/**
 * The REST API of Shlink (https://api-spec.shlink.io) in versions 1 to 3, for its web client, its SDK
 * and apps.
 */
export const shlink: Peer = {
  ...common,
  path: '/compat/shlink/rest/v3',
  routes: [
    healthRoute,
    mercureRoute,
    ...ruleRoutes,
    ...visitRoutes,
    ...tagRoutes,
    ...domainRoutes,
    ...shortUrlRoutes,
  ],
  spanning: 'shortCode',
  earlier: ['v1', 'v2'].map((version) => ({
    path: `/compat/shlink/rest/${version}`,
    toError: toEarlierProblem,
  })),
};
