import type { QueryClient } from '@tanstack/react-query';
import { type Api, answer, type Schemas } from '../api/client.ts';
import { writeLater } from '../short-links/pending.ts';
import { type Link, refreshLinks } from './question.ts';

export type BulkChange = Schemas['BulkLinkChange'];

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

/**
 * Changes links after a while in which that can be undone.
 *
 * @param shown the fields of the record that the change will have changed
 * @param text what was done: "archived"
 */
export function changeLinks(
  { api, client }: Scene,
  ids: readonly string[],
  { data, shown, text }: { data: BulkChange; shown: Partial<Link>; text: string },
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
