import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Link = Schemas['Link'];

/** One link, also when the list doesn't show it. */
export const linkQuery = (api: Api, linkId: string) =>
  queryOptions({
    queryKey: keys.links.one(linkId),
    queryFn: ({ signal }) =>
      answer(api.GET('/links/{linkId}', { params: { path: { linkId } }, signal })),
  });

/** After a write: lists and counts are asked for again. */
export const refreshLinks = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.links.all });
