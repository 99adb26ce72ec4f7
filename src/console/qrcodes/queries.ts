import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, answer, type operations } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { type ListKind, type ListSearch, SHARED_FILTERS } from '../short-links/list-kind.ts';
import { PAGE_ROWS, parametersOf, type Question } from '../short-links/listing.ts';
import { CONTENT_FORMS } from './content-fields.ts';
import type { QrCode } from './look.ts';

/** The list of QR codes. */
export const QR_CODE_LIST: ListKind = {
  list: 'qrcodes',
  noun: { one: 'QR code', many: 'QR codes' },
  searched: 'titles, short links, destinations, tags and comments',
  sorts: { createdAt: 'Newest', scans: 'Most scans', lastClicked: 'Last scanned' },
  filters: [...SHARED_FILTERS, 'type', 'format', 'scansMin', 'scansMax'],
  choices: [
    {
      name: 'type',
      label: 'Content',
      options: Object.entries(CONTENT_FORMS).map(([value, { label }]) => ({ value, label })),
    },
    {
      name: 'format',
      label: 'Kind',
      options: [
        { value: 'dynamic', label: 'Dynamic' },
        { value: 'static', label: 'Static' },
      ],
    },
  ],
  visits: { least: 'scansMin', most: 'scansMax', label: 'scans' },
};

type ListQuery = NonNullable<operations['listQrCodes']['parameters']['query']>;

/** One page of the list, from 0. */
export function pageQuery(api: Api, search: ListSearch, page: number): Question<QrCode[]> {
  const query = parametersOf<ListQuery>(search, [...QR_CODE_LIST.filters, 'sort']);
  return {
    queryKey: keys.qrcodes.list(query, page),
    queryFn: ({ signal }) =>
      answer(
        api.GET('/qrcodes', {
          params: { query: { ...query, page: page + 1, pageSize: PAGE_ROWS } },
          signal,
        }),
      ),
  };
}

/** Number of codes that match. */
export function countQuery(api: Api, search: ListSearch): Question<number> {
  const query = parametersOf<ListQuery>(search, QR_CODE_LIST.filters);
  return {
    queryKey: keys.qrcodes.count(query),
    queryFn: async ({ signal }) =>
      Number(await answer(api.GET('/qrcodes/count', { params: { query }, signal }))),
  };
}

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
