import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** Query options of the workspace's templates, newest first. */
export const templatesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.templates.list(),
    queryFn: ({ signal }) => answer(api.GET('/templates', { signal })),
  });
