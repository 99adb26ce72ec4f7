import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** Query options of the workspace's newest webhooks, for the choice in a link. */
export const webhooksQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.webhooks.list(),
    queryFn: ({ signal }) => answer(api.GET('/webhooks', { signal })),
    staleTime: 60_000,
  });
