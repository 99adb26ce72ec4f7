import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Call } from '../app/changes.ts';
import type { ListKind, ListSearch } from './list-kind.ts';
import { PAGE_ROWS, parametersOf, type Query } from './listing.ts';

/** Maximum number of views per request. */
const PAGE_SIZE = 100;

/** Query options of the saved views of a list: the workspace's and the person's own. */
export const viewsQuery = (api: Api, list: 'links' | 'qrcodes') =>
  queryOptions({
    queryKey: keys.views.list(list),
    // Shared and personal views each have a limit of one page, so two pages hold all of them.
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

/** Query options of one page of links or QR codes, counted from 0. */
export function pageQuery<Row>(
  api: Api,
  kind: ListKind,
  search: ListSearch,
  page: number,
): Query<Row[]> {
  const filters = parametersOf(search, [...kind.filters, 'sort']);
  const query = { ...filters, page: page + 1, pageSize: PAGE_ROWS };
  const read = api.GET as unknown as Call;
  return {
    queryKey: keys[kind.list].list(filters, page),
    queryFn: ({ signal }) =>
      answer(read(pathOf(kind), { params: { query }, signal })) as Promise<Row[]>,
  };
}

/** Query options of the number of matching records. */
export function countQuery(api: Api, kind: ListKind, search: ListSearch): Query<number> {
  const query = parametersOf(search, kind.filters);
  const read = api.GET as unknown as Call;
  return {
    queryKey: keys[kind.list].count(query),
    queryFn: async ({ signal }) =>
      Number(await answer(read(`${pathOf(kind)}/count`, { params: { query }, signal }))),
  };
}

/**
 * Query options of the availability of a slug and the resulting short link.
 *
 * @param domain empty for the workspace's default domain
 */
export const slugQuery = (api: Api, { domain, key }: { domain: string; key: string }) =>
  queryOptions({
    queryKey: keys.slugs.one(key, domain),
    queryFn: ({ signal }) => {
      const query = { key, ...(domain !== '' && { domain }) };
      return answer(api.GET('/links/availability', { params: { query }, signal }));
    },
    staleTime: 5_000,
  });

/**
 * Query options of the title, description and image of a page on another host.
 *
 * @param url http or https
 */
export const metatagsQuery = (api: Api, url: string) =>
  queryOptions({
    queryKey: keys.metatags.one(url),
    queryFn: ({ signal }) => answer(api.GET('/metatags', { params: { query: { url } }, signal })),
    staleTime: 300_000,
    retry: false,
  });

/** Query options of the UTM values that the workspace has used. */
export const utmValuesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.utmTemplates.list('values'),
    queryFn: ({ signal }) => answer(api.GET('/utm-values', { signal })),
    staleTime: 60_000,
  });

/**
 * Query options of the names of cities that begin with a text. Names with a comma, which separates
 * values, are left out.
 */
export const citiesQuery = (api: Api, search: string) =>
  queryOptions({
    queryKey: keys.cities.list(search),
    queryFn: async ({ signal }) => {
      const cities = await answer(
        api.GET('/places/cities', { params: { query: { search } }, signal }),
      );
      return [...new Set(cities.map(({ city }) => city))].filter((name) => !name.includes(','));
    },
    enabled: search !== '',
    staleTime: Infinity,
  });
