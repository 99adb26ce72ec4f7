import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** Query options of one code. */
export const qrCodeQuery = (api: Api, qrcodeId: string) =>
  queryOptions({
    queryKey: keys.qrcodes.one(qrcodeId),
    queryFn: ({ signal }) =>
      answer(api.GET('/qrcodes/{qrcodeId}', { params: { path: { qrcodeId } }, signal })),
  });

/** Refetches lists and counts after a write. */
export const refreshQrCodes = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.qrcodes.all });

/** Query options of the saved style templates, newest first. */
export const templatesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.templates.list(),
    queryFn: ({ signal }) => answer(api.GET('/templates', { signal })),
  });
