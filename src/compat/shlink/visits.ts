import { ok } from '../../http/answer.ts';
import type { Query } from '../../http/input.ts';
import { defaultDomain } from '../links.ts';
import { type Ask, type Fields, one, type PeerRoute } from '../peer.ts';
import { notImplemented } from './problem.ts';
import { atom, findShortUrl, namedDomain, pageOf, paginated, visitsSummary } from './short-url.ts';
import { tagNamed } from './tags.ts';

/** Most visits of one page of ours, which is also the size without another. */
const PAGE = 1_000;
/** Earlier than any visit. */
const BEGINNING = '1970-01-01T00:00:00Z';
/** How our events say that something is not known. */
const UNKNOWN = 'Unknown';
const DIRECT = '(direct)';

/** A click of our interface. */
interface ClickEvent {
  timestamp: string;
  click: Record<string, string>;
  link: { shortLink: string } | null;
}

export const visitRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/visits',
    operation: 'retrieveAnalytics',
    async answer(_, ask) {
      const count = async (root: string) =>
        visitsSummary(await countVisits(ask, { root, interval: 'all' }));
      const visits = { nonOrphanVisits: await count('false'), orphanVisits: await count('true') };
      return ok({ visits });
    },
  },
  {
    method: 'get',
    path: '/visits/non-orphan',
    operation: 'listEvents',
    answer: async ({ query }, ask) =>
      listVisits(ask, query, { root: 'false', ...(await domainOf(query, ask)) }),
  },
  {
    method: 'get',
    path: '/visits/orphan',
    operation: 'listEvents',
    async answer({ query }, ask) {
      const type = one(query, 'type') || ROOT_VISIT;
      if (type !== ROOT_VISIT) return ok({ visits: paginated([], pageOf(query, PAGE, PAGE), 0) });
      const filter = { root: 'true', ...(await domainOf(query, ask)) };
      return listVisits(ask, query, filter, { type });
    },
  },
  {
    method: 'delete',
    path: '/visits/orphan',
    operation: 'deleteLink',
    answer: () => Promise.reject(notImplemented('Visits can’t be deleted in this service')),
  },
  {
    method: 'get',
    path: '/short-urls/{shortCode}/visits',
    operation: 'listEvents',
    async answer(request, ask) {
      const { link } = await findShortUrl(request, ask);
      return listVisits(ask, request.query, { linkId: link.id });
    },
  },
  {
    method: 'get',
    path: '/tags/{tag}/visits',
    operation: 'listEvents',
    async answer({ params, query }, ask) {
      const { id } = await tagNamed(ask, params['tag']!);
      return listVisits(ask, query, { tagId: id, ...(await domainOf(query, ask)) });
    },
  },
  {
    method: 'get',
    path: '/domains/{domain}/visits',
    operation: 'listEvents',
    async answer({ params, query }, ask) {
      const domain = namedDomain({ domain: params['domain']! }) ?? (await defaultDomain(ask));
      return listVisits(ask, query, { domain, root: 'false' });
    },
  },
];

/** The one kind of visit without a short URL that is counted here: of the root of a domain. */
const ROOT_VISIT = 'base_url';

/** The filter by the domain that a query names, if it does. */
async function domainOf(query: Query, ask: Ask): Promise<Query> {
  if (one(query, 'domain') === undefined) return {};
  return { domain: namedDomain(query) ?? (await defaultDomain(ask)) };
}

/** A page of the clicks that match a filter. */
async function listVisits(ask: Ask, query: Query, filter: Query, members: Fields = {}) {
  const page = pageOf(query, PAGE, PAGE);
  const asked = { ...filter, ...spanOf(query) };
  const { body: events } = await ask<ClickEvent[]>('listEvents', {
    query: { ...asked, page: String(page.page), limit: String(page.size) },
  });
  const total = await countVisits(ask, asked);
  const data = events.map((event) => ({ ...toVisit(event), ...members }));
  return ok({ visits: paginated(data, page, total) });
}

async function countVisits(ask: Ask, query: Query): Promise<number> {
  const { body } = await ask<{ clicks: number }>('retrieveAnalytics', { query });
  return body.clicks;
}

function spanOf(query: Query): Query {
  const [start, end] = [one(query, 'startDate'), one(query, 'endDate')];
  if (!start && !end) return { interval: 'all' };
  return { start: start || BEGINNING, ...(end ? { end } : {}) };
}

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

function toVisit({ timestamp, click, link }: ClickEvent): Fields {
  const known = (name: string): string => {
    const value = click[name] ?? '';
    return value === UNKNOWN ? '' : value;
  };
  const country = known('country');
  const place = {
    countryCode: country || null,
    countryName: (/^[A-Z]{2}$/.test(country) && countryNames.of(country)) || null,
    regionName: known('region') || null,
    cityName: known('city') || null,
    latitude: null,
    longitude: null,
    timezone: null,
    isEmpty: country === '',
  };
  const referer = known('refererUrl');
  return {
    referer: referer === DIRECT ? '' : referer,
    date: atom(timestamp),
    // The user agent itself is not kept: what was read out of it is.
    userAgent: [known('browser'), known('os'), known('device')].filter(Boolean).join(' '),
    visitLocation: country === '' ? null : place,
    potentialBot: false,
    visitedUrl: link?.shortLink ?? '',
    redirectUrl: click['url'] || null,
  };
}
