import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Api } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { sendLater } from '../api/queries.ts';
import { toast, undoable } from '../ui/toasts.tsx';
import { holdWindow } from '../ui/unsaved.ts';

/*
 * Changes and deletions that are shown already and can still be undone. They lie over the answers of the API until these
 * contain them: an answer that comes in between doesn't undo what is shown.
 */

/** A change of a record that is not sent yet: the fields that it will have, or its deletion. */
type Overlay = 'deleted' | ((record: never) => object);

/** Changes that are not sent yet, by the ids of their records, in their order. */
export type Overlays = ReadonlyMap<string, readonly Overlay[]>;

/** Most records that one request may name. */
const BULK_ROWS = 100;
/** Changes are sent one after another, since a later one may be of the same field. */
const SCOPE = 'records';

let overlays: Overlays = new Map();
const listeners = new Set<() => void>();

function set(ids: readonly string[], change: (overlays: readonly Overlay[]) => Overlay[]): void {
  const next = new Map(overlays);
  for (const id of ids) {
    const changed = change(next.get(id) ?? []);
    if (changed.length > 0) next.set(id, changed);
    else next.delete(id);
  }
  overlays = next;
  for (const listener of listeners) listener();
}

/** Changes that are not sent yet. */
export const useOverlays = (): Overlays =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => overlays,
  );

/** A record with the changes that are not sent yet. */
export const overlaid = <Row extends { id: string }>(record: Row, pending: Overlays): Row =>
  (pending.get(record.id) ?? []).reduce(
    (row: Row, overlay) =>
      overlay === 'deleted' ? row : { ...row, ...(overlay as (record: Row) => object)(row) },
    record,
  );

/** True for a record that is about to be deleted. */
export const isDeleted = ({ id }: { id: string }, pending: Overlays): boolean =>
  pending.get(id)?.includes('deleted') === true;

/** Dependencies of writes. */
export interface WriteContext {
  api: Api;
  client: QueryClient;
}

interface Later {
  ids: readonly string[];
  overlay: Overlay;
  /** What was done: "3 links archived". */
  text: string;
  /** Sends the change of up to 100 records. @returns why some of them were refused, each once */
  send(ids: string[]): Promise<readonly string[] | void>;
  /** Asks for lists and counts again. */
  refresh(client: QueryClient): Promise<void>;
  /** Called when it is sent. */
  onDone?: (() => void) | undefined;
}

/** Writes after a while in which that can be undone. */
export function writeLater(
  client: QueryClient,
  { ids, overlay, text, send, refresh, onDone }: Later,
): void {
  const parts = Array.from({ length: Math.ceil(ids.length / BULK_ROWS) }, (_, part) =>
    ids.slice(part * BULK_ROWS, (part + 1) * BULK_ROWS),
  );
  // A window that closes sends one request: the browser has to ask before more are lost.
  const release = parts.length > 1 ? holdWindow() : undefined;
  const end = () => {
    release?.();
    set(ids, (now) => now.filter((one) => one !== overlay));
  };
  set(ids, (now) => [...now, overlay]);
  undoable(text, {
    undo: end,
    commit(isClosing) {
      if (isClosing) {
        // Each at once: what waits for another request is lost with the window.
        const sent = Promise.allSettled(parts.map(send));
        void sent.then(() => refresh(client)).finally(end);
        return;
      }
      sendLater(
        client,
        {
          async send() {
            const refused: string[] = [];
            for (const part of parts) refused.push(...((await send(part)) ?? []));
            return refused;
          },
          onDone(refused) {
            const [reason] = refused;
            if (reason === undefined) onDone?.();
            else
              toast(
                `${refused.length} of ${ids.length} could not be changed. ${describe(new Error(reason))}`,
                'danger',
              );
            return refresh(client).finally(end);
          },
          onFailed(error) {
            end();
            toast(describe(error), 'danger');
            void refresh(client);
          },
        },
        undefined,
        SCOPE,
      );
    },
  });
}
