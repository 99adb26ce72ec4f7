import type { Api } from '../api/client.ts';
import { everyRecordQuery } from '../app/resource.ts';

/** Records per page, the default of the API. */
const PAGE_RECORDS = 50;

/** Query options of all domains that are not archived. */
export const domainsQuery = (api: Api) => everyRecordQuery(api, 'domains', PAGE_RECORDS);
