import type { QueryClient } from '@tanstack/react-query';
import { type Api, answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { partsOf } from './pending.ts';

/**
 * Restores records from the trash, each independently.
 *
 * @param key idempotency key
 * @returns the outcome of each record, in the order of `ids`
 */
export async function restoreRecords(
  api: Api,
  ids: readonly string[],
  key: string,
): Promise<Schemas['RestoredRecord'][]> {
  const outcomes: Schemas['RestoredRecord'][] = [];
  for (const [index, part] of partsOf(ids).entries()) {
    const options = { ...idempotent(`${key}-${index}`), body: { ids: part } };
    outcomes.push(...(await answer(api.POST('/trash/restore', options))));
  }
  return outcomes;
}

/** Refetches what shows restored records. */
export function refreshRestored(client: QueryClient): void {
  for (const { all } of [keys.trash, keys.links, keys.qrcodes, keys.slugs, keys.analytics]) {
    void client.invalidateQueries({ queryKey: all });
  }
}
