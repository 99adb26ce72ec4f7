import { answer } from '../api/client.ts';
import { refusalInWords } from '../api/error-words.ts';
import type { BulkEdit } from '../short-links/bulk-bar.tsx';
import { countText } from '../short-links/listing.ts';
import { type WriteContext, writeLater } from '../short-links/pending.ts';
import { LINK_LIST, type Link, refreshLinks } from './queries.ts';

const countOf = ({ length }: readonly Link[]) => countText(length, LINK_LIST.noun);
const idsOf = (links: readonly Link[]) => links.map(({ id }) => id);

/** Deletes links after a while in which that can be undone. */
export function deleteLinks({ api, client }: WriteContext, links: readonly Link[]): void {
  writeLater(client, {
    ids: idsOf(links),
    overlay: 'deleted',
    text: `${countOf(links)} deleted`,
    async send(linkIds) {
      await answer(api.DELETE('/links/bulk', { params: { query: { linkIds } }, keepalive: true }));
    },
    refresh: refreshLinks,
  });
}

/** Changes links after a while in which that can be undone. @param onDone called when the API has made the change */
export function changeLinks(
  { api, client }: WriteContext,
  links: readonly Link[],
  { data, shown, say }: BulkEdit,
  onDone: () => void,
): void {
  writeLater(client, {
    ids: idsOf(links),
    overlay: shown,
    text: say(countOf(links)),
    async send(linkIds) {
      const results = await answer(
        api.PATCH('/links/bulk', { body: { linkIds, data }, keepalive: true }),
      );
      return results.flatMap((result) =>
        'error' in result ? [refusalInWords(422, result.error.message)] : [],
      );
    },
    refresh: refreshLinks,
    onDone,
  });
}
