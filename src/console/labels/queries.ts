import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { everyPage } from '../api/paged.ts';

/** Records per page of both lists, the default of the API. */
const PAGE_RECORDS = 100;

/** Query options of all tags of the workspace. */
export const tagsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.tags.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS, (page) =>
        answer(api.GET('/tags', { params: { query: { page } }, signal })),
      ),
    staleTime: 60_000,
  });

/** Query options of all folders of the workspace. */
export const foldersQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.folders.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS, (page) =>
        answer(api.GET('/folders', { params: { query: { page } }, signal })),
      ),
    staleTime: 60_000,
  });
