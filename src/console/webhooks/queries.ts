import type { Api } from '../api/client.ts';
import { firstRecordsQuery } from '../app/resource.ts';

/** Query options of the workspace's newest webhooks, for the choice in a link. */
export const webhooksQuery = (api: Api) => ({
  ...firstRecordsQuery(api, 'webhooks'),
  staleTime: 60_000,
});

/** Refetch interval of a webhook and its deliveries, in ms. */
export const REFRESH_MS = 5_000;
