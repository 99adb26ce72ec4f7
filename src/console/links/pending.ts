import type { QueryClient } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import type { BulkEdit } from '../short-links/bulk-bar.tsx';
import { writeLater } from '../short-links/pending.ts';
import { refreshLinks } from './question.ts';

interface Scene {
  api: Api;
  client: QueryClient;
}

const countOf = ({ length }: readonly string[]) => (length === 1 ? '1 link' : `${length} links`);

/** Deletes links after a while in which that can be undone. */
export function deleteLinks({ api, client }: Scene, ids: readonly string[]): void {
  writeLater(client, {
    ids,
    overlay: 'deleted',
    text: `${countOf(ids)} deleted`,
    async send(linkIds) {
      await answer(api.DELETE('/links/bulk', { params: { query: { linkIds } }, keepalive: true }));
    },
    refresh: refreshLinks,
  });
}

/** Changes links after a while in which that can be undone. */
export function changeLinks(
  { api, client }: Scene,
  ids: readonly string[],
  { data, shown, text }: BulkEdit,
): void {
  writeLater(client, {
    ids,
    overlay: shown,
    text: `${countOf(ids)} ${text}`,
    async send(linkIds) {
      const results = await answer(
        api.PATCH('/links/bulk', { body: { linkIds, data }, keepalive: true }),
      );
      const refused = results.flatMap((result) =>
        'error' in result ? [result.error.message] : [],
      );
      if (refused.length > 0) {
        throw new Error(`${refused.length} of ${linkIds.length} were refused: ${refused[0]}`);
      }
    },
    refresh: refreshLinks,
  });
}
