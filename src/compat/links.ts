import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { Query } from '../http/input.ts';
import { type Ask, ifReadable, type LinkRecord } from './peer.ts';

/** Domains of one page of ours. */
const DOMAIN_PAGE = 50;
/** Links of one page of ours. */
const LINK_PAGE = 100;
/** Most pages of a list that are read for one answer. */
const MOST_PAGES = 100;

/** The domain record of our interface, as far as other services have something like it. */
export interface DomainRecord {
  id: string;
  slug: string;
  primary: boolean;
  target: string | null;
  notFoundUrl: string | null;
}

/** All records of a list of ours. */
export async function listAll<Item>(
  ask: Ask,
  operation: Parameters<Ask>[0],
  query: Query,
  pageSize: number,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { body } = await ask<Item[]>(operation, {
      query: { ...query, page: String(page), pageSize: String(pageSize) },
    });
    items.push(...body);
    if (body.length < pageSize) break;
  }
  return items;
}

export const listDomains = (ask: Ask): Promise<DomainRecord[]> =>
  listAll<DomainRecord>(ask, 'listDomains', { archived: 'true' }, DOMAIN_PAGE);

/**
 * The domain that services with one domain would have: the primary one of the workspace, else the default short domain of
 * this service, which is taken also where the key may not read domains.
 */
export async function defaultDomain(ask: Ask): Promise<string> {
  const domains = await ifReadable(listDomains(ask));
  return domains?.find(({ primary }) => primary)?.slug ?? config().DEFAULT_SHORT_DOMAIN;
}

/** The link with a domain and key; `undefined` also where there can be none. */
export async function findLink(
  ask: Ask,
  domain: string,
  key: string,
): Promise<LinkRecord | undefined> {
  try {
    return (await ask<LinkRecord>('findLink', { query: { domain, key } })).body;
  } catch (thrown) {
    if (thrown instanceof Refusal && ['not_found', 'unprocessable_entity'].includes(thrown.code)) {
      return undefined;
    }
    throw thrown;
  }
}

/** The newest link on a domain with a destination, among the newest whose destinations contain it. */
export async function findByUrl(
  ask: Ask,
  domain: string,
  url: string,
): Promise<LinkRecord | undefined> {
  const { body } = await ask<LinkRecord[]>('listLinks', {
    query: { search: url, domain, showArchived: 'true', pageSize: String(LINK_PAGE) },
  });
  return body.find((link) => link.url === url);
}
