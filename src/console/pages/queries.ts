import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** The newest pages of the workspace, to choose one for a link. */
export const pagesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.pages.list(),
    queryFn: ({ signal }) => answer(api.GET('/pages', { signal })),
    staleTime: 60_000,
  });
