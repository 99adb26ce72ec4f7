import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { describe } from '../api/error.ts';
import { sendLater } from '../api/queries.ts';
import { toast, undoable } from '../ui/toasts.tsx';

/*
 * Changes and deletions that are shown already and can still be undone. They lie over the answers of the API until these
 * contain them: an answer that comes in between doesn't undo what is shown.
 */

/** A change of a record that is not sent yet: its fields, or its deletion. */
type Overlay = object | 'deleted';

/** Most records that one request may name. */
const BULK_ROWS = 100;

let overlays: ReadonlyMap<string, Overlay> = new Map();
const listeners = new Set<() => void>();

function update(change: (next: Map<string, Overlay>) => void): void {
  const next = new Map(overlays);
  change(next);
  overlays = next;
  for (const listener of listeners) listener();
}

/** Changes that are not sent yet, by the ids of their records. */
export const useOverlays = (): ReadonlyMap<string, Overlay> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => overlays,
  );

interface Later {
  ids: readonly string[];
  /** The fields of the records that the change will have changed, or their deletion. */
  overlay: Overlay;
  /** What was done: "3 links archived". */
  text: string;
  /** Sends the change of up to 100 records. */
  send(ids: string[]): Promise<void>;
  /** Asks for lists and counts again. */
  refresh(client: QueryClient): Promise<void>;
}

/** Writes after a while in which that can be undone. */
export function writeLater(
  client: QueryClient,
  { ids, overlay, text, send, refresh }: Later,
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
          onDone: () => refresh(client).finally(lift),
          onFailed(error) {
            lift();
            toast(describe(error), 'danger');
            void refresh(client);
          },
        },
        undefined,
      );
    },
  });
}
