import type { QueryClient } from '@tanstack/react-query';
import type { Api } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { sendLater } from '../api/queries.ts';
import { createStore } from '../ui/store.ts';
import { toastError } from '../ui/toast-error.ts';
import { toast, undoable } from '../ui/toasts.tsx';
import { holdWindow } from '../ui/unsaved.ts';

/*
 * Changes and deletions that are already displayed but not yet part of the API's responses, which
 * they overlay until then, so that a response that arrives in between does not revert the display.
 * Changes are sent after a delay in which people can undo them. Deletions are sent at once: the
 * trash restores them.
 */

/** A change of a record that the API's responses lack: the changed fields, or the deletion. */
type Overlay = 'deleted' | ((record: never) => object);

/** Such changes by record id, in the order in which they were made. */
export type Overlays = ReadonlyMap<string, readonly Overlay[]>;

/** Maximum number of records in one request. */
const BULK_ROWS = 100;
/** Changes run one after another, because a later one can affect the same field. */
const SCOPE = 'records';

const overlays = createStore<Overlays>(new Map());
/** Returns the changes that responses lack. */
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

/** Applies the changes that responses lack to a record. */
export const overlaid = <Row extends { id: string }>(record: Row, pending: Overlays): Row =>
  (pending.get(record.id) ?? []).reduce(
    (row: Row, overlay) =>
      overlay === 'deleted' ? row : { ...row, ...(overlay as (record: Row) => object)(row) },
    record,
  );

/** True for a record that is being deleted. */
export const isDeleted = ({ id }: { id: string }, pending: Overlays): boolean =>
  pending.get(id)?.includes('deleted') === true;

/** Dependencies of writes. */
export interface WriteContext {
  api: Api;
  client: QueryClient;
}

interface Write {
  ids: readonly string[];
  overlay: Overlay;
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

/** Divides ids into those of one request each. */
export const partsOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / BULK_ROWS) }, (_, part) =>
    ids.slice(part * BULK_ROWS, (part + 1) * BULK_ROWS),
  );

/** Sends a write that is already displayed, and removes its overlay once the lists include it. */
function sendParts(client: QueryClient, write: Write, end: () => void): void {
  const { ids, send, refresh, onDone } = write;
  sendLater(
    client,
    {
      async send() {
        const refused: string[] = [];
        for (const part of partsOf(ids)) refused.push(...((await send(part)) ?? []));
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
}

/** Displays a write, and returns the function that removes it from the display. */
function display({ ids, overlay }: Write): () => void {
  set(ids, (now) => [...now, overlay]);
  return () => set(ids, (now) => now.filter((one) => one !== overlay));
}

/** Displays a write at once and sends it. */
export const writeNow = (client: QueryClient, write: Write): void =>
  sendParts(client, write, display(write));

interface Later extends Write {
  /** Message in the past tense: "3 links archived". */
  text: string;
}

/** Runs a write after a delay in which the person can undo it. */
export function writeLater(client: QueryClient, write: Later): void {
  const { ids, text, send, refresh } = write;
  const parts = partsOf(ids);
  // A closing window can reliably send only one request, so the browser must ask before the others
  // are lost.
  const release = parts.length > 1 ? holdWindow() : undefined;
  const hide = display(write);
  const end = () => {
    release?.();
    hide();
  };
  undoable(text, {
    undo: end,
    commit(isClosing) {
      if (!isClosing) return sendParts(client, write, end);
      // The requests run in parallel, because a waiting request is lost with the window.
      const sent = Promise.allSettled(parts.map(send));
      void sent.then(() => refresh(client)).finally(end);
    },
  });
}
