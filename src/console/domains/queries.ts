import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { everyPage } from '../api/paged.ts';

/** Records per page, the default of the API. */
const PAGE_RECORDS = 50;

/** Query options of all domains that are not archived. */
export const domainsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.domains.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS, (page) =>
        answer(api.GET('/domains', { params: { query: { page } }, signal })),
      ),
    staleTime: 60_000,
  });
