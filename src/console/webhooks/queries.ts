import type { Api } from '../api/client.ts';
import { firstRecordsQuery } from '../app/resource.ts';

/** Query options of the workspace's newest webhooks, for the choice in a link. */
export const webhooksQuery = (api: Api) => ({
  ...firstRecordsQuery(api, 'webhooks'),
  staleTime: 60_000,
});
