import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { everyPage } from '../api/paged.ts';

/** Records of a page of both lists, as the API has them by default. */
const PAGE_RECORDS = 100;

/** All tags of the workspace. */
export const tagsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.tags.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS, (page) =>
        answer(api.GET('/tags', { params: { query: { page } }, signal })),
      ),
    staleTime: 60_000,
  });

/** All folders of the workspace. */
export const foldersQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.folders.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS, (page) =>
        answer(api.GET('/folders', { params: { query: { page } }, signal })),
      ),
    staleTime: 60_000,
  });
