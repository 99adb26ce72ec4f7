import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import type { operations } from '../api/reference.d.ts';

/** Filters of the list by their names in the API; the address bar has the same names. */
export const FILTERS = ['search', 'type', 'format', 'folderId', 'tagIds', 'showArchived'] as const;
export type Filter = (typeof FILTERS)[number];

/** The address bar’s search. */
export type QrCodesSearch = Partial<Record<Filter | 'sort', string>>;

/** Rows of one request. */
export const PAGE_ROWS = 100;
/** Most codes that one request deletes. */
export const BULK_ROWS = 100;
/** The API answers no rows beyond this one: filters lead further. */
export const FURTHEST_ROW = 100_000;

type ListQuery = NonNullable<operations['listQrCodes']['parameters']['query']>;

/** Parameters of the request to the API: texts, which it reads as the parameter’s type. */
const parametersOf = (search: QrCodesSearch, names: readonly (Filter | 'sort')[]): ListQuery =>
  Object.fromEntries(
    names.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  ) as ListQuery;

/** One page of the list, from 0. */
export const pageQuery = (api: Api, search: QrCodesSearch, page: number) => {
  const query = parametersOf(search, [...FILTERS, 'sort']);
  return queryOptions({
    queryKey: ['qrcodes', 'list', query, page],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/qrcodes', {
          params: { query: { ...query, page: page + 1, pageSize: PAGE_ROWS } },
          signal,
        }),
      ),
  });
};

/** Number of codes that match. */
export const countQuery = (api: Api, search: QrCodesSearch) => {
  const query = parametersOf(search, FILTERS);
  return queryOptions({
    queryKey: ['qrcodes', 'count', query],
    queryFn: async ({ signal }) =>
      Number(await answer(api.GET('/qrcodes/count', { params: { query }, signal }))),
  });
};

/** One code. */
export const qrCodeQuery = (api: Api, qrcodeId: string) =>
  queryOptions({
    queryKey: ['qrcodes', 'one', qrcodeId],
    queryFn: ({ signal }) =>
      answer(api.GET('/qrcodes/{qrcodeId}', { params: { path: { qrcodeId } }, signal })),
  });

/** After a write: lists and counts are asked for again. */
export const refreshQrCodes = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: ['qrcodes'] });

/** Looks that were kept, newest first. */
export const templatesQuery = (api: Api) =>
  queryOptions({
    queryKey: ['templates'],
    queryFn: ({ signal }) => answer(api.GET('/templates', { signal })),
  });

/** Logo and color of the workspace. */
export const workspaceQuery = (api: Api) =>
  queryOptions({
    queryKey: ['workspace'],
    queryFn: ({ signal }) => answer(api.GET('/workspace', { signal })),
    staleTime: 60_000,
  });

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
