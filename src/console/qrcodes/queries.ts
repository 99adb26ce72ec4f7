import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** One code. */
export const qrCodeQuery = (api: Api, qrcodeId: string) =>
  queryOptions({
    queryKey: keys.qrcodes.one(qrcodeId),
    queryFn: ({ signal }) =>
      answer(api.GET('/qrcodes/{qrcodeId}', { params: { path: { qrcodeId } }, signal })),
  });

/** After a write: lists and counts are asked for again. */
export const refreshQrCodes = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.qrcodes.all });

/** Looks that were kept, newest first. */
export const templatesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.templates.list(),
    queryFn: ({ signal }) => answer(api.GET('/templates', { signal })),
  });
