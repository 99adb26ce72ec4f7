import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** Query options of the workspace's newest pages, for the choice in a link. */
export const pagesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.pages.list(),
    queryFn: ({ signal }) => answer(api.GET('/pages', { signal })),
    staleTime: 60_000,
  });
