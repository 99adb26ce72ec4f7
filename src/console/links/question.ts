import type { QueryClient } from '@tanstack/react-query';
import { queryOptions } from '@tanstack/react-query';
import { type Api, answer, type Schemas } from '../api/client.ts';

export type Link = Schemas['Link'];

/** Filters of the list by their names in the API; the address bar has the same names. */
export const FILTERS = [
  'search',
  'domain',
  'folderId',
  'tagIds',
  'showArchived',
  'hasPassword',
  'hasExpiration',
  'hasUTM',
  'hasCustomSocial',
  'hasGeo',
  'hasDevice',
  'hasComments',
  'hasTags',
  'trackConversion',
  'createdAfter',
  'createdBefore',
  'clicksMin',
  'clicksMax',
] as const;
export type Filter = (typeof FILTERS)[number];

/** The address bar's search: filters, sorting, and what is open. */
export type LinksSearch = Partial<Record<Filter | 'sort' | 'new' | 'edit', string>>;

/** Rows of one request. */
export const PAGE_ROWS = 100;
/** The API answers no rows beyond this one: filters lead further. */
export const FURTHEST_ROW = 100_000;

type ListQuery = NonNullable<
  import('../api/reference.d.ts').operations['listLinks']['parameters']['query']
>;

/** Parameters of the request to the API: texts, which it reads as the parameter's type. */
function parametersOf(search: LinksSearch, names: readonly (Filter | 'sort')[]): ListQuery {
  const given = names.flatMap((name) => {
    const value = search[name];
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as ListQuery;
}

/** One page of the list, from 0. */
export const pageQuery = (api: Api, search: LinksSearch, page: number) => {
  const query = parametersOf(search, [...FILTERS, 'sort']);
  return queryOptions({
    queryKey: ['links', 'list', query, page],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/links', {
          params: { query: { ...query, page: page + 1, pageSize: PAGE_ROWS } },
          signal,
        }),
      ),
  });
};

/** Number of links that match. */
export const countQuery = (api: Api, search: LinksSearch) => {
  const query = parametersOf(search, FILTERS);
  return queryOptions({
    queryKey: ['links', 'count', query],
    queryFn: async ({ signal }) =>
      Number(await answer(api.GET('/links/count', { params: { query }, signal }))),
  });
};

/** One link, also when the list doesn't show it. */
export const linkQuery = (api: Api, linkId: string) =>
  queryOptions({
    queryKey: ['links', 'one', linkId],
    queryFn: ({ signal }) =>
      answer(api.GET('/links/{linkId}', { params: { path: { linkId } }, signal })),
  });

/** After a write: lists and counts are asked for again. */
export const refreshLinks = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: ['links'] });

/** Everything that links are sorted into; lists of these are short. */
export const tagsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['tags'],
    queryFn: ({ signal }) => answer(api.GET('/tags', { signal })),
    staleTime: 60_000,
  });

export const foldersQuery = (api: Api) =>
  queryOptions({
    queryKey: ['folders'],
    queryFn: ({ signal }) => answer(api.GET('/folders', { signal })),
    staleTime: 60_000,
  });

export const domainsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['domains'],
    queryFn: ({ signal }) => answer(api.GET('/domains', { signal })),
    staleTime: 60_000,
  });
