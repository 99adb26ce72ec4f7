import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { Query } from '../http/input.ts';
import { type Call, ifReadable, type LinkRecord } from './peer.ts';

/** Number of domains on a page of this API. */
const DOMAIN_PAGE = 50;
/** Number of links on a page of this API. */
const LINK_PAGE = 100;
/** Maximum number of pages of a list that are read for one answer. */
const MAX_PAGES = 100;

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
  try {
    return (await call<LinkRecord>('findLink', { query: { domain, key } })).body;
  } catch (thrown) {
    if (thrown instanceof Refusal && ['not_found', 'unprocessable_entity'].includes(thrown.code)) {
      return undefined;
    }
    throw thrown;
  }
}

/**
 * Finds the newest link on a domain with a destination, among the newest links whose destinations
 * contain it.
 */
export async function findByUrl(
  call: Call,
  domain: string,
  url: string,
): Promise<LinkRecord | undefined> {
  const { body } = await call<LinkRecord[]>('listLinks', {
    query: { search: url, domain, showArchived: 'true', pageSize: String(LINK_PAGE) },
  });
  return body.find((link) => link.url === url);
}
