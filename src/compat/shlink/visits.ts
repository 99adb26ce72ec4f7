import type { Query } from '../../http/input.ts';
import { toInstant } from '../../http/iso-time.ts';
import { ok } from '../../http/route.ts';
import { defaultDomain } from '../links.ts';
import { type Call, type Fields, lastValue, type PeerRoute } from '../peer.ts';
import { notImplemented } from './problem.ts';
import { atom, findShortUrl, namedDomain, pageOf, paginated, visitsSummary } from './short-url.ts';
import { tagNamed } from './tags.ts';

/** Maximum number of visits on a page of this API, also the default. */
const PAGE = 1_000;
/** Time before any visit. */
const BEGINNING = '1970-01-01T00:00:00Z';
/** Value for unknown data in events of this API. */
const UNKNOWN = 'Unknown';
const DIRECT = '(direct)';

/** A click record of this API. */
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
    async answer(_, call) {
      const count = async (root: string) =>
        visitsSummary(await countVisits(call, { root, interval: 'all' }));
      const visits = { nonOrphanVisits: await count('false'), orphanVisits: await count('true') };
      return ok({ visits });
    },
  },
  {
    method: 'get',
    path: '/visits/non-orphan',
    operation: 'listEvents',
    answer: async ({ query }, call) =>
      listVisits(call, query, { root: 'false', ...(await domainOf(query, call)) }),
  },
  {
    method: 'get',
    path: '/visits/orphan',
    operation: 'listEvents',
    async answer({ query }, call) {
      const type = lastValue(query, 'type') || ROOT_VISIT;
      if (type !== ROOT_VISIT) return ok({ visits: paginated([], pageOf(query, PAGE, PAGE), 0) });
      const filter = { root: 'true', ...(await domainOf(query, call)) };
      return listVisits(call, query, filter, { type });
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
    async answer(request, call) {
      const { link } = await findShortUrl(request, call);
      return listVisits(call, request.query, { linkId: link.id });
    },
  },
  {
    method: 'get',
    path: '/tags/{tag}/visits',
    operation: 'listEvents',
    async answer({ params, query }, call) {
      const { id } = await tagNamed(call, params['tag']!);
      return listVisits(call, query, { tagId: id, ...(await domainOf(query, call)) });
    },
  },
  {
    method: 'get',
    path: '/domains/{domain}/visits',
    operation: 'listEvents',
    async answer({ params, query }, call) {
      const domain = namedDomain({ domain: params['domain']! }) ?? (await defaultDomain(call));
      return listVisits(call, query, { domain, root: 'false' });
    },
  },
];

/** The only visits without a short URL that are counted here: those of a domain's root. */
const ROOT_VISIT = 'base_url';

/** Returns the filter for the domain in a query, if there is one. */
async function domainOf(query: Query, call: Call): Promise<Query> {
  if (lastValue(query, 'domain') === undefined) return {};
  return { domain: namedDomain(query) ?? (await defaultDomain(call)) };
}

/** Reads a page of the clicks that match a filter. */
async function listVisits(call: Call, query: Query, filter: Query, members: Fields = {}) {
  const page = pageOf(query, PAGE, PAGE);
  const people: Query = lastValue(query, 'excludeBots') === 'true' ? { traffic: 'person' } : {};
  const filterQuery = { ...filter, ...people, ...spanOf(query) };
  const { body: events } = await call<ClickEvent[]>('listEvents', {
    query: { ...filterQuery, page: String(page.page), limit: String(page.size) },
  });
  const total = await countVisits(call, filterQuery);
  const data = events.map((event) => ({ ...toVisit(event), ...members }));
  return ok({ visits: paginated(data, page, total) });
}

async function countVisits(call: Call, query: Query): Promise<number> {
  const { body } = await call<{ clicks: number }>('retrieveAnalytics', { query });
  return body.clicks;
}

function spanOf(query: Query): Query {
  const [start, end] = [lastValue(query, 'startDate'), lastValue(query, 'endDate')];
  if (!start && !end) return { interval: 'all' };
  return { start: instantOf(start || BEGINNING), ...(end ? { end: instantOf(end) } : {}) };
}

/** Returns the instant of a date of Shlink, which means its start; other texts as they are. */
const instantOf = (date: string): string => toInstant(date) ?? date;

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

function toVisit({ timestamp, click, link }: ClickEvent): Fields {
  const valueOf = (name: string): string => {
    const value = click[name] ?? '';
    return value === UNKNOWN ? '' : value;
  };
  const country = valueOf('country');
  const place = {
    countryCode: country || null,
    countryName: (/^[A-Z]{2}$/.test(country) && countryNames.of(country)) || null,
    regionName: valueOf('region') || null,
    cityName: valueOf('city') || null,
    latitude: null,
    longitude: null,
    timezone: null,
    isEmpty: country === '',
  };
  const referer = valueOf('refererUrl');
  return {
    referer: referer === DIRECT ? '' : referer,
    date: atom(timestamp),
    // The user agent itself is not stored, only what was parsed from it.
    userAgent: [valueOf('browser'), valueOf('os'), valueOf('device')].filter(Boolean).join(' '),
    visitLocation: country === '' ? null : place,
    potentialBot: valueOf('suspect') !== '',
    visitedUrl: link?.shortLink ?? '',
    redirectUrl: click['url'] || null,
  };
}
