import type { Query } from '../../http/input.ts';
import { defaultDomain, findLink } from '../links.ts';
import { type Ask, type Fields, type LinkRecord, one, type PeerRequest } from '../peer.ts';
import { shortUrlNotFound } from './problem.ts';

/** Name by which Shlink's clients mean the default domain. */
const DEFAULT = 'DEFAULT';
/** A time as Shlink writes it. */
export const atom = (time: string): string => time.replace(/\.\d+Z$/, '+00:00');

/** The domain that a request names; `undefined` for the default one. */
export function namedDomain(query: Query): string | undefined {
  const name = one(query, 'domain');
  return name === undefined || name === '' || name === DEFAULT ? undefined : name;
}

/** The link that a path names, and the default domain. @throws Problem */
export async function findShortUrl(
  { params, query }: Pick<PeerRequest, 'params' | 'query'>,
  ask: Ask,
): Promise<{ link: LinkRecord; main: string }> {
  const main = await defaultDomain(ask);
  const named = namedDomain(query);
  const key = params['shortCode']!;
  const link = await findLink(ask, named ?? main, key);
  if (link === undefined) throw shortUrlNotFound(key, named);
  return { link, main };
}

/** Visits as Shlink counts them: those of bots are none here. */
export const visitsSummary = (total: number) => ({ total, nonBots: total, bots: 0 });

/** A link as Shlink answers it. */
export function toShortUrl(link: LinkRecord, main: string): Fields {
  const { startsAt, expiresAt, maxVisits, rules } = link;
  const time = (value: unknown) => (typeof value === 'string' ? atom(value) : null);
  return {
    shortCode: link.key,
    shortUrl: link.shortLink,
    longUrl: link.url,
    dateCreated: atom(link.createdAt),
    visitsSummary: visitsSummary(link.clicks),
    tags: link.tags.map(({ name }) => name),
    meta: { validSince: time(startsAt), validUntil: time(expiresAt), maxVisits },
    domain: link.domain === main ? null : link.domain,
    title: link.title,
    crawlable: link['doIndex'],
    forwardQuery: link['forwardQuery'],
    hasRedirectRules: Array.isArray(rules) && rules.length > 0,
  };
}

/** Names of Shlink's fields in our bodies. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['longUrl', 'url'],
  ['customSlug', 'key'],
  ['pathPrefix', 'prefix'],
  ['validSince', 'startsAt'],
  ['validUntil', 'expiresAt'],
  ['crawlable', 'doIndex'],
  ['tags', 'tagNames'],
]);

/** A body of Shlink as our endpoints take it. Fields that Shlink alone has are refused there. */
export const fromShortUrl = (body: Fields): Fields =>
  Object.fromEntries(
    Object.entries(body)
      // Shlink itself ignores it since its version 4.
      .filter(([name]) => name !== 'validateUrl')
      .map(([name, value]) => [NAMES.get(name) ?? name, value]),
  );

/** Numbers of a page of a list. */
export interface Page {
  page: number;
  size: number;
}

/** The page that a request asks for, with at most `most` items; `standard` without a size. */
export function pageOf(query: Query, standard: number, most: number): Page {
  const whole = (name: string, absent: number): number => {
    const value = Number(one(query, name) ?? absent);
    return Number.isInteger(value) && value >= 1 ? value : absent;
  };
  return { page: whole('page', 1), size: Math.min(whole('itemsPerPage', standard), most) };
}

/** A page of a list as Shlink answers it. */
export const paginated = (data: unknown[], { page, size }: Page, totalItems: number) => ({
  data,
  pagination: {
    currentPage: page,
    pagesCount: Math.ceil(totalItems / size),
    itemsPerPage: size,
    itemsInCurrentPage: data.length,
    totalItems,
  },
});
