import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';

/** Everything that links and QR codes are sorted into; lists of these are short. */
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
