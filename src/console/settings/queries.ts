import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE } from '../api/paged.ts';

/** The settings of the workspace, such as its brand and the domain of links that name none. */
export const workspaceQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.workspace.all,
    queryFn: ({ signal }) => answer(api.GET('/workspace', { signal })),
    staleTime: 60_000,
  });

/** Most UTM templates of a workspace. */
const MOST_TEMPLATES = 100;

/** The UTM templates of the workspace, by name. */
export const utmTemplatesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.utmTemplates.list(),
    queryFn: ({ signal }) =>
      answer(
        api.GET('/utm-templates', { params: { query: { pageSize: MOST_TEMPLATES } }, signal }),
      ),
  });

const FIRST_PAGE = { page: 1, pageSize: PAGE_SIZE };

/** The first members of the workspace, to choose from or to name. */
export const membersQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.members.list(),
    queryFn: ({ signal }) => answer(api.GET('/members', { params: { query: FIRST_PAGE }, signal })),
  });

/** The first API keys of the workspace, to choose from. */
export const apiKeysQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.keys.list(),
    queryFn: ({ signal }) => answer(api.GET('/keys', { params: { query: FIRST_PAGE }, signal })),
  });
