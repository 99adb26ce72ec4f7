import type { QueryClient } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import type { BulkEdit } from '../short-links/bulk-bar.tsx';
import { writeLater } from '../short-links/pending.ts';
import { refreshQrCodes } from './queries.ts';

interface Scene {
  api: Api;
  client: QueryClient;
}

const countOf = ({ length }: readonly string[]) =>
  length === 1 ? '1 QR code' : `${length} QR codes`;

/** Deletes codes after a while in which that can be undone. */
export function deleteCodes({ api, client }: Scene, ids: readonly string[]): void {
  writeLater(client, {
    ids,
    overlay: 'deleted',
    text: `${countOf(ids)} deleted`,
    async send(qrcodeIds) {
      await answer(
        api.DELETE('/qrcodes/bulk', { params: { query: { qrcodeIds } }, keepalive: true }),
      );
    },
    refresh: refreshQrCodes,
  });
}

/** Changes codes after a while in which that can be undone. */
export function changeCodes(
  { api, client }: Scene,
  ids: readonly string[],
  { data, shown, text }: BulkEdit,
): void {
  writeLater(client, {
    ids,
    overlay: shown,
    text: `${countOf(ids)} ${text}`,
    async send(qrcodeIds) {
      // The API has no bulk change of codes. All are sent at once: the window may be closing.
      await Promise.all(
        qrcodeIds.map((qrcodeId) =>
          answer(
            api.PATCH('/qrcodes/{qrcodeId}', {
              params: { path: { qrcodeId } },
              body: data,
              keepalive: true,
            }),
          ),
        ),
      );
    },
    refresh: refreshQrCodes,
  });
}
