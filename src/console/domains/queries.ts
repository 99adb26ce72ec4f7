import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { everyPage } from '../api/paged.ts';

/** Records of a page of the list, as the API has them by default. */
const PAGE_RECORDS = 50;

/** All domains of the workspace that are not archived. */
export const domainsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.domains.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS, (page) =>
        answer(api.GET('/domains', { params: { query: { page } }, signal })),
      ),
    staleTime: 60_000,
  });
