import type { QueryClient } from '@tanstack/react-query';
import type { Api } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { sendLater } from '../api/queries.ts';
import { createStore } from '../ui/store.ts';
import { toastError } from '../ui/toast-error.ts';
import { toast, undoable } from '../ui/toasts.tsx';
import { holdWindow } from '../ui/unsaved.ts';

/*
 * Changes and deletions that are already displayed but can still be undone. They overlay the API's
 * responses until these include them, so that a response that arrives in between does not revert
 * the display.
 */

/** A change of a record that is not sent yet: the changed fields, or the deletion. */
type Overlay = 'deleted' | ((record: never) => object);

/** Unsent changes by record id, in the order in which they were made. */
export type Overlays = ReadonlyMap<string, readonly Overlay[]>;

/** Maximum number of records in one request. */
const BULK_ROWS = 100;
/** Changes run one after another, because a later one can affect the same field. */
const SCOPE = 'records';

const overlays = createStore<Overlays>(new Map());
/** Returns the unsent changes. */
export const useOverlays = overlays.use;

function set(ids: readonly string[], change: (overlays: readonly Overlay[]) => Overlay[]): void {
  const next = new Map(overlays.get());
  for (const id of ids) {
    const changed = change(next.get(id) ?? []);
    if (changed.length > 0) next.set(id, changed);
    else next.delete(id);
  }
  overlays.set(next);
}

/** Applies the unsent changes to a record. */
export const overlaid = <Row extends { id: string }>(record: Row, pending: Overlays): Row =>
  (pending.get(record.id) ?? []).reduce(
    (row: Row, overlay) =>
      overlay === 'deleted' ? row : { ...row, ...(overlay as (record: Row) => object)(row) },
    record,
  );

/** True for a record with an unsent deletion. */
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
  /** Message in the past tense: "3 links archived". */
  text: string;
  /**
   * Sends the change of up to 100 records.
   *
   * @returns the distinct reasons of refusals
   */
  send(ids: string[]): Promise<readonly string[] | void>;
  /** Refetches lists and counts. */
  refresh(client: QueryClient): Promise<void>;
  /** Called when the write is done. */
  onDone?: (() => void) | undefined;
}

/** Runs a write after a delay in which the person can undo it. */
export function writeLater(
  client: QueryClient,
  { ids, overlay, text, send, refresh, onDone }: Later,
): void {
  const parts = Array.from({ length: Math.ceil(ids.length / BULK_ROWS) }, (_, part) =>
    ids.slice(part * BULK_ROWS, (part + 1) * BULK_ROWS),
  );
  // A closing window can reliably send only one request, so the browser must ask before the others
  // are lost.
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
        // The requests run in parallel, because a waiting request is lost with the window.
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
            toastError(error);
            void refresh(client);
          },
        },
        undefined,
        SCOPE,
      );
    },
  });
}
