import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { Query } from '../http/input.ts';
import { toAddress } from '../short-links/address.ts';
import { leadsTo } from '../short-links/destination.ts';
import { toDestination } from '../short-links/destination-match.ts';
import { type Call, type CallQuery, ifReadable, type LinkRecord } from './peer.ts';

/** Number of domains on a page of this API. */
const DOMAIN_PAGE = 50;
/** Number of links on a page of this API. */
export const LINK_PAGE = 100;
/** Maximum number of pages of a list that are read for one answer. */
const MAX_PAGES = 100;
/** Maximum number of pages of links with one destination that are compared. */
const MAX_PAGES_OF_DESTINATION = 10;

/** The domain record of this API, limited to what other services have as well. */
export interface DomainRecord {
  id: string;
  slug: string;
  primary: boolean;
  verified: boolean;
  target: string | null;
  notFoundUrl: string | null;
}

/** Reads all records of a list of this API. */
export async function listAll<Item>(
  call: Call,
  operation: Parameters<Call>[0],
  query: Query,
  pageSize: number,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { body } = await call<Item[]>(operation, {
      query: { ...query, page: String(page), pageSize: String(pageSize) },
    });
    items.push(...body);
    if (body.length < pageSize) break;
  }
  return items;
}

/** Reads a slice of a list of links, page by page. */
export async function* sliceOfLinks(
  call: Call,
  query: CallQuery,
  start: number,
  length: number,
): AsyncGenerator<LinkRecord[]> {
  const end = start + length;
  const firstPage = Math.floor(start / LINK_PAGE);
  for (let page = firstPage; page * LINK_PAGE < end; page += 1) {
    const first = page * LINK_PAGE;
    const { body } = await call<LinkRecord[]>('listLinks', {
      query: { ...query, page: String(page + 1), pageSize: String(LINK_PAGE) },
    });
    yield body.slice(Math.max(start - first, 0), end - first);
    if (body.length < LINK_PAGE) return;
  }
}

export const listDomains = (call: Call): Promise<DomainRecord[]> =>
  listAll<DomainRecord>(call, 'listDomains', { archived: 'true' }, DOMAIN_PAGE);

/**
 * Returns the domain that stands in for the only domain of other services: the primary one of the
 * workspace, or else the default short domain of this service, which is also used if the key may
 * not read domains.
 */
export async function defaultDomain(call: Call): Promise<string> {
  const domains = await ifReadable(listDomains(call));
  return domains?.find(({ primary }) => primary)?.slug ?? config().DEFAULT_SHORT_DOMAIN;
}

/** Finds the link with a domain and key; `undefined` also for invalid ones. */
export async function findLink(
  call: Call,
  domain: string,
  key: string,
): Promise<LinkRecord | undefined> {
  return (await ifPresent(call<LinkRecord>('findLink', { query: { domain, key } })))?.body;
}

/**
 * Finds the newest link with a destination that is the same as a requested one, among the newest
 * 1,000 with the destination; `undefined` also for an invalid destination.
 *
 * @param isSame compares the rest of the link
 */
export async function findByDestination(
  call: Call,
  destination: string,
  isSame: (link: LinkRecord) => boolean,
): Promise<LinkRecord | undefined> {
  for (let page = 1; page <= MAX_PAGES_OF_DESTINATION; page += 1) {
    const query = { destination, showArchived: 'true', page: String(page) };
    const links = (await ifPresent(call<LinkRecord[]>('listLinks', { query })))?.body ?? [];
    const same = links.find(isSame);
    if (same !== undefined || links.length < LINK_PAGE) return same;
  }
  return undefined;
}

/**
 * Returns true for a URL that is the short link of a record of the workspace or, on the default
 * short domain, of any workspace.
 */
export async function isShortUrl(call: Call, text: string): Promise<boolean> {
  const url = toDestination(text);
  const address = url === undefined ? undefined : toAddress(url);
  if (url === undefined || address === undefined) return false;
  const { host: domain, key } = address;
  if (!leadsTo(url, { domain, key, flexible: false })) return false;
  const query = { domain, key };
  const checked = call<{ reason: string | null }>('retrieveAvailability', { query });
  // The domain may be another workspace's, or none.
  return (await ifReadable(ifPresent(checked)))?.body.reason === 'taken';
}

/** Resolves to `undefined` if no record has such a name, or can have it. */
async function ifPresent<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (thrown) {
    if (thrown instanceof Refusal && ['not_found', 'unprocessable_entity'].includes(thrown.code)) {
      return undefined;
    }
    throw thrown;
  }
}
