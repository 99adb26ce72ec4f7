import type { QueryClient } from '@tanstack/react-query';
import { type Api, answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { dismissAbout } from '../ui/toasts.tsx';
import { partsOf } from './pending.ts';

/** A restoration of records from the trash, each independently. */
export interface Restoration {
  /**
   * Outcomes in the order of the ids; after a failure, those of the requests before it.
   */
  outcomes: readonly Schemas['RestoredRecord'][];
  /**
   * Sends the requests that have no outcomes yet, so that a retry continues.
   *
   * @param key idempotency key
   */
  send(key: string): Promise<void>;
}

/** Prepares the restoration of records. */
export function restorationOf(api: Api, ids: readonly string[]): Restoration {
  const outcomes: Schemas['RestoredRecord'][] = [];
  const parts = [...partsOf(ids).entries()];
  return {
    outcomes,
    async send(key) {
      for (let next = parts[0]; next !== undefined; next = parts[0]) {
        const [index, part] = next;
        const options = { ...idempotent(`${key}-${index}`), body: { ids: part } };
        outcomes.push(...(await answer(api.POST('/trash/restore', options))));
        parts.shift();
      }
    },
  };
}

/** Counts the records that were restored. */
export const restoredOf = ({ outcomes }: Restoration): number =>
  outcomes.filter(({ error }) => error === undefined).length;

/**
 * Refetches what shows restored records, and removes messages that offer to restore them.
 *
 * @param ids the records, restored or refused
 */
export function refreshRestored(client: QueryClient, ids: readonly string[]): void {
  dismissAbout(ids);
  for (const { all } of [keys.trash, keys.links, keys.qrcodes, keys.slugs, keys.analytics]) {
    void client.invalidateQueries({ queryKey: all });
  }
}
