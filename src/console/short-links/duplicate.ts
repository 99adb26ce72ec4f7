import { newIdempotencyKey } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { createRecord, type NewAt } from '../app/changes.ts';
import { isPast } from '../ui/time.tsx';
import { toastError } from '../ui/toast-error.ts';
import { toast } from '../ui/toasts.tsx';
import type { ShortLinkDraft, ShortLinkRecord } from './fields.ts';
import type { WriteContext } from './pending.ts';

/** Fields that a duplicate does not copy, with the values that it gets instead. */
const OWN = { key: '', prefix: '', externalId: '', notificationToken: '', archived: false };

/** Returns the draft of a duplicate, under a random slug. */
export function duplicated<Draft extends ShortLinkDraft>(
  draft: Draft,
  { expiresAt }: Pick<ShortLinkRecord, 'expiresAt'>,
): Draft {
  const copy = { ...draft, ...OWN };
  // The API refuses an expiry in the past.
  return expiresAt !== null && isPast(expiresAt) ? { ...copy, expiresAt: '' } : copy;
}

/**
 * Creates the copy of a record.
 *
 * @param name name of the original
 * @returns the copy; `undefined` if the creation failed
 */
export async function createDuplicate<List extends '/links' | '/qrcodes'>(
  { api, client }: WriteContext,
  list: List,
  name: string,
  body: NewAt<List>,
): Promise<{ id: string } | undefined> {
  try {
    const copy = (await createRecord(api, list, body, newIdempotencyKey())) as { id: string };
    void client.invalidateQueries({
      queryKey: (list === '/links' ? keys.links : keys.qrcodes).all,
    });
    toast(`${name} duplicated`);
    return copy;
  } catch (error) {
    toastError(error);
    return undefined;
  }
}
