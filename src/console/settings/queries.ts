import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE } from '../api/paged.ts';
import { firstRecordsQuery } from '../app/resource.ts';

/** Query options of the workspace's settings, such as its brand and default domain. */
export const workspaceQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.workspace.all,
    queryFn: ({ signal }) => answer(api.GET('/workspace', { signal })),
    staleTime: 60_000,
  });

/** Maximum number of UTM templates in a workspace. */
const MOST_TEMPLATES = 100;

/** Query options of the workspace's UTM templates, sorted by name. */
export const utmTemplatesQuery = (api: Api) =>
  firstRecordsQuery(api, 'utmTemplates', { pageSize: MOST_TEMPLATES });

const FIRST_PAGE = { page: 1, pageSize: PAGE_SIZE };

/** Query options of the workspace's first members, for choices and names. */
export const membersQuery = (api: Api) => firstRecordsQuery(api, 'members', FIRST_PAGE);

/** Query options of the workspace's first API keys, for choices. */
export const apiKeysQuery = (api: Api) => firstRecordsQuery(api, 'keys', FIRST_PAGE);
