import { answer } from '../api/client.ts';
import { refusalInWords } from '../api/error-words.ts';
import type { BulkEdit } from '../short-links/bulk-bar.tsx';
import { countText } from '../short-links/listing.ts';
import { type WriteContext, writeLater } from '../short-links/pending.ts';
import type { QrCode } from './look.ts';
import { QR_CODE_LIST, refreshQrCodes } from './queries.ts';

const countOf = ({ length }: readonly QrCode[]) => countText(length, QR_CODE_LIST.noun);
const idsOf = (codes: readonly QrCode[]) => codes.map(({ id }) => id);

/** Deletes codes after a while in which that can be undone. */
export function deleteCodes({ api, client }: WriteContext, codes: readonly QrCode[]): void {
  writeLater(client, {
    ids: idsOf(codes),
    overlay: 'deleted',
    text: `${countOf(codes)} deleted`,
    async send(qrcodeIds) {
      await answer(
        api.DELETE('/qrcodes/bulk', { params: { query: { qrcodeIds } }, keepalive: true }),
      );
    },
    refresh: refreshQrCodes,
  });
}

/** Changes codes after a while in which that can be undone. @param onDone called when the API has made the change */
export function changeCodes(
  { api, client }: WriteContext,
  codes: readonly QrCode[],
  { data, shown, say }: BulkEdit,
  onDone: () => void,
): void {
  writeLater(client, {
    ids: idsOf(codes),
    overlay: shown,
    text: say(countOf(codes)),
    async send(qrcodeIds) {
      const results = await answer(
        api.PATCH('/qrcodes/bulk', { body: { qrcodeIds, data }, keepalive: true }),
      );
      return results.flatMap((result) =>
        'error' in result ? [refusalInWords(422, result.error.message)] : [],
      );
    },
    refresh: refreshQrCodes,
    onDone,
  });
}
