import { expect } from 'chai';
import type { ApiAnswer, ApiClient, RequestOptions } from './client.ts';

const NEXT = /^<(?<url>[^>]+)>; rel="next"$/;

/** Returns path and query of the next page, from the header `Link`; `undefined` on the last page. */
export function nextOf({ headers }: Pick<ApiAnswer, 'headers'>): string | undefined {
  const link = headers.get('link');
  expect(headers.has('x-next-cursor')).to.equal(link !== null);
  if (link === null) return undefined;
  const { url } = NEXT.exec(link)!.groups!;
  const { pathname, search } = new URL(url!);
  return pathname + search;
}

/**
 * Reads all records of a list by following `Link`.
 *
 * @param between runs before each page but the first
 */
export async function walk<Item>(
  api: ApiClient,
  path: string,
  query: RequestOptions['query'],
  between: () => Promise<unknown> = async () => {},
): Promise<Item[]> {
  let page = await api.get(path, query);
  expect(page.status, JSON.stringify(page.body)).to.equal(200);
  const items: Item[] = [...(page.body as Item[])];
  for (let next = nextOf(page); next !== undefined; next = nextOf(page)) {
    await between();
    page = await api.get(next);
    expect(page.status, JSON.stringify(page.body)).to.equal(200);
    expect(page.body, next).to.have.lengthOf.at.least(1);
    items.push(...(page.body as Item[]));
  }
  return items;
}
