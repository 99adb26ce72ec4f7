import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Link = Schemas['Link'];

/** Query options of one link, which the list need not contain. */
export const linkQuery = (api: Api, linkId: string) =>
  queryOptions({
    queryKey: keys.links.one(linkId),
    queryFn: ({ signal }) =>
      answer(api.GET('/links/{linkId}', { params: { path: { linkId } }, signal })),
  });

/** Refetches lists and counts after a write. */
export const refreshLinks = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.links.all });
