import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { type Api, answer } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { toast, undoable } from '../ui/toasts.tsx';
import type { QrCode } from './look.ts';
import { BULK_ROWS, refreshQrCodes } from './queries.ts';

/*
 * Codes that are deleted for those who look, and can still be put back. They stay in their rows, crossed out, until the
 * list is asked for again: nothing jumps under the hand.
 */

let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function setHidden(next: ReadonlySet<string>): void {
  hidden = next;
  for (const listener of listeners) listener();
}

/** Ids of codes whose deletion can still be undone. */
export const useHidden = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hidden,
  );

interface Scene {
  api: Api;
  client: QueryClient;
}

const countOf = ({ length }: readonly QrCode[]) =>
  length === 1 ? '1 QR code' : `${length} QR codes`;

/** Deletes codes after a while in which that can be undone. */
export function deleteCodes({ api, client }: Scene, records: readonly QrCode[]): void {
  const ids = records.map(({ id }) => id);
  const show = () => setHidden(new Set([...hidden].filter((id) => !ids.includes(id))));
  setHidden(new Set([...hidden, ...ids]));
  undoable(`${countOf(records)} deleted`, {
    undo: show,
    commit() {
      void (async () => {
        try {
          for (let at = 0; at < ids.length; at += BULK_ROWS) {
            const qrcodeIds = ids.slice(at, at + BULK_ROWS);
            await answer(
              api.DELETE('/qrcodes/bulk', { params: { query: { qrcodeIds } }, keepalive: true }),
            );
          }
        } catch (error) {
          toast(describe(error), 'danger');
        }
        await refreshQrCodes(client);
        show();
      })();
    },
  });
}

/** Archives codes, or takes them out of the archive. */
export async function archive(
  { api, client }: Scene,
  records: readonly QrCode[],
  archived: boolean,
): Promise<void> {
  try {
    for (const { id } of records) {
      await answer(
        api.PATCH('/qrcodes/{qrcodeId}', {
          params: { path: { qrcodeId: id } },
          body: { archived },
        }),
      );
    }
    toast(`${countOf(records)} ${archived ? 'archived' : 'restored'}`);
  } catch (error) {
    toast(describe(error), 'danger');
  }
  await refreshQrCodes(client);
}
