import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { type Api, answer, type Schemas } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { sendLater } from '../api/queries.ts';
import { toast, undoable } from '../ui/toasts.tsx';
import { type Link, refreshLinks } from './question.ts';

/*
 * Bulk changes and deletions that are shown already and can still be undone. They lie over the answers of the API until
 * these contain them: an answer that comes in between doesn't undo what is shown.
 */

export type BulkChange = Schemas['BulkLinkChange'];
/** A change of a link that is not sent yet: its fields, or its deletion. */
type Overlay = Partial<Link> | 'deleted';

/** Most links that one request may name. */
const BULK_ROWS = 100;

let overlays: ReadonlyMap<string, Overlay> = new Map();
const listeners = new Set<() => void>();

function update(change: (next: Map<string, Overlay>) => void): void {
  const next = new Map(overlays);
  change(next);
  overlays = next;
  for (const listener of listeners) listener();
}

/** Changes that are not sent yet, by the ids of their links. */
export const useOverlays = (): ReadonlyMap<string, Overlay> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => overlays,
  );

interface Scene {
  api: Api;
  client: QueryClient;
}

/** Deletes links after a while in which that can be undone. */
export function deleteLinks({ api, client }: Scene, ids: readonly string[]): void {
  lay(client, ids, 'deleted', `${count(ids)} deleted`, async (linkIds) => {
    await answer(api.DELETE('/links/bulk', { params: { query: { linkIds } }, keepalive: true }));
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
  lay(client, ids, shown, `${count(ids)} ${text}`, async (linkIds) => {
    const results = await answer(
      api.PATCH('/links/bulk', { body: { linkIds, data }, keepalive: true }),
    );
    const refused = results.flatMap((result) => ('error' in result ? [result.error.message] : []));
    if (refused.length > 0) {
      throw new Error(`${refused.length} of ${linkIds.length} were refused: ${refused[0]}`);
    }
  });
}

const count = ({ length }: readonly string[]) => (length === 1 ? '1 link' : `${length} links`);

function lay(
  client: QueryClient,
  ids: readonly string[],
  overlay: Overlay,
  text: string,
  send: (ids: string[]) => Promise<void>,
): void {
  const lift = () => update((next) => ids.forEach((id) => next.delete(id)));
  update((next) => ids.forEach((id) => next.set(id, overlay)));
  undoable(text, {
    undo: lift,
    commit() {
      const parts = Array.from({ length: Math.ceil(ids.length / BULK_ROWS) }, (_, part) =>
        ids.slice(part * BULK_ROWS, (part + 1) * BULK_ROWS),
      );
      sendLater(
        client,
        {
          async send() {
            for (const part of parts) await send(part);
          },
          onDone: () => refreshLinks(client).finally(lift),
          onFailed(error) {
            lift();
            toast(describe(error), 'danger');
            void refreshLinks(client);
          },
        },
        undefined,
      );
    },
  });
}
