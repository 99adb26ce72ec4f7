import type { Api } from '../api/client.ts';
import { firstRecordsQuery } from '../app/resource.ts';

/** Query options of the workspace's newest pages, for the choice in a link. */
export const pagesQuery = (api: Api) => ({ ...firstRecordsQuery(api, 'pages'), staleTime: 60_000 });
