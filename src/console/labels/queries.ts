import type { Api } from '../api/client.ts';
import { everyRecordQuery } from '../app/resource.ts';

/** Records per page of both lists, the default of the API. */
const PAGE_RECORDS = 100;

/** Query options of all tags of the workspace. */
export const tagsQuery = (api: Api) => everyRecordQuery(api, 'tags', PAGE_RECORDS);

/** Query options of all folders of the workspace. */
export const foldersQuery = (api: Api) => everyRecordQuery(api, 'folders', PAGE_RECORDS);
