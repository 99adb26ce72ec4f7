import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Call } from '../app/changes.ts';
import type { ListKind, ListSearch } from './list-kind.ts';
import { PAGE_ROWS, parametersOf, type Question } from './listing.ts';

/** Most views that the API returns at once. */
const PAGE_SIZE = 100;

/** The saved views of a list: those of the workspace, and the person's own. */
export const viewsQuery = (api: Api, list: 'links' | 'qrcodes') =>
  queryOptions({
    queryKey: keys.views.list(list),
    // There may be as many shared views as own ones.
    queryFn: async ({ signal }) => {
      const load = (page: number) =>
        answer(
          api.GET('/views', { params: { query: { list, page, pageSize: PAGE_SIZE } }, signal }),
        );
      const first = await load(1);
      return first.length < PAGE_SIZE ? first : [...first, ...(await load(2))];
    },
  });

const pathOf = ({ list }: ListKind) => `/${list}`;

/** One page of a list of links or QR codes, from 0. */
export function pageQuery<Row>(
  api: Api,
  kind: ListKind,
  search: ListSearch,
  page: number,
): Question<Row[]> {
  const filters = parametersOf(search, [...kind.filters, 'sort']);
  const query = { ...filters, page: page + 1, pageSize: PAGE_ROWS };
  const read = api.GET as unknown as Call;
  return {
    queryKey: keys[kind.list].list(filters, page),
    queryFn: ({ signal }) =>
      answer(read(pathOf(kind), { params: { query }, signal })) as Promise<Row[]>,
  };
}

/** Number of records of a list that match. */
export function countQuery(api: Api, kind: ListKind, search: ListSearch): Question<number> {
  const query = parametersOf(search, kind.filters);
  const read = api.GET as unknown as Call;
  return {
    queryKey: keys[kind.list].count(query),
    queryFn: async ({ signal }) =>
      Number(await answer(read(`${pathOf(kind)}/count`, { params: { query }, signal }))),
  };
}

/** Availability of a slug, with the short link that it makes. @param domain empty: the default domain of the workspace */
export const slugQuery = (api: Api, { domain, key }: { domain: string; key: string }) =>
  queryOptions({
    queryKey: keys.slugs.one(key, domain),
    queryFn: ({ signal }) => {
      const query = { key, ...(domain !== '' && { domain }) };
      return answer(api.GET('/links/availability', { params: { query }, signal }));
    },
    staleTime: 5_000,
  });

/** Title, text and image of a page of another host. @param url http or https */
export const metatagsQuery = (api: Api, url: string) =>
  queryOptions({
    queryKey: keys.metatags.one(url),
    queryFn: ({ signal }) => answer(api.GET('/metatags', { params: { query: { url } }, signal })),
    staleTime: 300_000,
    retry: false,
  });
