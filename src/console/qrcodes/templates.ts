import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { everyPage } from '../api/paged.ts';

/** Records per page of the list, the default of the API. */
const PAGE_RECORDS = 100;

/** Query options of all templates of the workspace, newest first; any of them can be the default. */
export const templatesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.templates.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS, (page) =>
        answer(api.GET('/templates', { params: { query: { page } }, signal })),
      ),
  });

/** Names a template at an index of the whole list; one without a name is numbered by its age. */
export const nameOfTemplate = (templates: readonly { name: string | null }[], index: number) =>
  templates[index]?.name ?? `Template ${templates.length - index}`;
