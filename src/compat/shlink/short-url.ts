import type { Query } from '../../http/input.ts';
import { defaultDomain, findLink } from '../links.ts';
import {
  type Call,
  type Fields,
  joinLists,
  type LinkRecord,
  lastValue,
  type PeerRequest,
} from '../peer.ts';
import { shortUrlNotFound } from './problem.ts';

/** Name of the default domain in Shlink's clients. */
const DEFAULT = 'DEFAULT';
/** Formats a time as Shlink does. */
export const atom = (time: string): string => time.replace(/\.\d+Z$/, '+00:00');

/** Returns the domain that a request names; `undefined` for the default one. */
export function namedDomain(query: Query): string | undefined {
  const name = lastValue(query, 'domain');
  return name === undefined || name === '' || name === DEFAULT ? undefined : name;
}

/**
 * Finds the link that a path names, and the default domain.
 *
 * @throws Problem
 */
export async function findShortUrl(
  { params, query }: Pick<PeerRequest, 'params' | 'query'>,
  call: Call,
): Promise<{ link: LinkRecord; main: string }> {
  const main = await defaultDomain(call);
  const named = namedDomain(query);
  const key = params['shortCode']!;
  const link = await findLink(call, named ?? main, key);
  if (link === undefined) throw shortUrlNotFound(key, named);
  return { link, main };
}

/** Formats a number of visits like Shlink. Visits of bots are not counted here. */
export const visitsSummary = (total: number) => ({ total, nonBots: total, bots: 0 });

/** Converts a link to Shlink's format. */
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

/** Names of Shlink's fields in this API's bodies. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['longUrl', 'url'],
  ['customSlug', 'key'],
  ['pathPrefix', 'prefix'],
  ['validSince', 'startsAt'],
  ['validUntil', 'expiresAt'],
  ['crawlable', 'doIndex'],
  ['tags', 'tagNames'],
]);

/** Fields of which forms have a text, with the functions that convert it. */
const CONVERTED: Readonly<Record<string, (text: string) => unknown>> = {
  crawlable: toFlag,
  findIfExists: toFlag,
  forwardQuery: toFlag,
  maxVisits: Number,
  shortCodeLength: Number,
};

/** Converts a text of a form or query to a boolean as PHP does; any other text stays. */
export function toFlag(text: string): unknown {
  if (['true', '1', 'on'].includes(text)) return true;
  return ['false', '0', ''].includes(text) ? false : text;
}

/** Converts a text of a form to the type of its field; values of JSON stay as they are. */
const typed = (name: string, value: unknown): unknown =>
  typeof value === 'string' ? (CONVERTED[name]?.(value) ?? value) : value;

/** Converts a body of Shlink for this API, which refuses fields that only Shlink has. */
export const fromShortUrl = (body: Fields): Fields =>
  Object.fromEntries(
    Object.entries(joinLists(body))
      // Shlink itself ignores it since version 4.
      .filter(([name]) => name !== 'validateUrl')
      .map(([name, value]) => [NAMES.get(name) ?? name, typed(name, value)]),
  );

/** Fields that Shlink reads from bodies of creations only: a short code never changes. */
const ONLY_NEW = ['customSlug', 'domain', 'findIfExists', 'pathPrefix', 'shortCodeLength'];
/** Fields that cannot be cleared, so that `null` leaves them unchanged. */
const NOT_NULL = ['crawlable', 'forwardQuery', 'longUrl', 'tags'];

/** Converts the body of a change, in which clients repeat all fields of a creation. */
export const fromShortUrlChange = (body: Fields): Fields =>
  fromShortUrl(
    Object.fromEntries(
      Object.entries(body).filter(
        ([name, value]) => !ONLY_NEW.includes(name) && !(value === null && NOT_NULL.includes(name)),
      ),
    ),
  );

/** Page number and size of a list. */
export interface Page {
  page: number;
  size: number;
}

/** Returns the requested page, with at most `maxSize` items. */
export function pageOf(query: Query, defaultSize: number, maxSize: number): Page {
  const wholeNumber = (name: string, absent: number): number => {
    const value = Number(lastValue(query, name) ?? absent);
    return Number.isInteger(value) && value >= 1 ? value : absent;
  };
  return {
    page: wholeNumber('page', 1),
    size: Math.min(wholeNumber('itemsPerPage', defaultSize), maxSize),
  };
}

/** Formats a page of a list like Shlink. */
export const paginated = (data: unknown[], page: Page, totalItems: number) => ({
  data,
  pagination: paginationOf(data.length, page, totalItems),
});

/** Describes a page of a list with some items like Shlink. */
export const paginationOf = (items: number, { page, size }: Page, totalItems: number) => ({
  currentPage: page,
  // As in Shlink, there is one page if there are no items.
  pagesCount: Math.max(Math.ceil(totalItems / size), 1),
  itemsPerPage: size,
  itemsInCurrentPage: items,
  totalItems,
});
