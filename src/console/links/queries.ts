import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, answer, type operations, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { type ListKind, type ListSearch, SHARED_FILTERS } from '../short-links/list-kind.ts';
import { PAGE_ROWS, parametersOf, type Question } from '../short-links/listing.ts';

export type Link = Schemas['Link'];

/** The list of links. */
export const LINK_LIST: ListKind = {
  list: 'links',
  noun: { one: 'link', many: 'links' },
  searched: 'titles, short links, destinations, tags and comments',
  sorts: { createdAt: 'Newest', clicks: 'Most clicks', lastClicked: 'Last clicked' },
  filters: [...SHARED_FILTERS, 'clicksMin', 'clicksMax', 'destinationState'],
  choices: [
    {
      name: 'destinationState',
      label: 'Destination',
      options: [
        { value: 'broken', label: 'Broken' },
        { value: 'failing', label: 'Failing' },
        { value: 'redirecting', label: 'Redirects to another site' },
        { value: 'unclear', label: 'Couldn’t be checked' },
        { value: 'ok', label: 'Works' },
        { value: 'unchecked', label: 'Not checked yet' },
      ],
    },
  ],
  visits: { least: 'clicksMin', most: 'clicksMax', label: 'clicks' },
};

type ListQuery = NonNullable<operations['listLinks']['parameters']['query']>;

/** One page of the list, from 0. */
export function pageQuery(api: Api, search: ListSearch, page: number): Question<Link[]> {
  const query = parametersOf<ListQuery>(search, [...LINK_LIST.filters, 'sort']);
  return {
    queryKey: keys.links.list(query, page),
    queryFn: ({ signal }) =>
      answer(
        api.GET('/links', {
          params: { query: { ...query, page: page + 1, pageSize: PAGE_ROWS } },
          signal,
        }),
      ),
  };
}

/** Number of links that match. */
export function countQuery(api: Api, search: ListSearch): Question<number> {
  const query = parametersOf<ListQuery>(search, LINK_LIST.filters);
  return {
    queryKey: keys.links.count(query),
    queryFn: async ({ signal }) =>
      Number(await answer(api.GET('/links/count', { params: { query }, signal }))),
  };
}

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
