import { newIdempotencyKey } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { createRecord } from '../app/changes.ts';
import type { WriteContext } from '../short-links/pending.ts';
import { isPast } from '../ui/time.tsx';
import { toastError } from '../ui/toast-error.ts';
import { toast } from '../ui/toasts.tsx';
import type { Link } from './kind.ts';

/** Fields that a duplicate does not copy, with the values that it gets instead. */
const OWN = { key: '', prefix: '', externalId: '', notificationToken: '', archived: false };

/**
 * Creates a copy of a link under a random slug.
 *
 * @returns the new link; `undefined` if the creation failed
 */
export async function duplicateLink(
  { api, client }: WriteContext,
  link: Link,
): Promise<Link | undefined> {
  const { creationOf, draftOf } = await import('./edit/draft.ts');
  const draft = { ...draftOf(link), ...OWN };
  // The API refuses an expiry in the past.
  if (link.expiresAt !== null && isPast(link.expiresAt)) draft.expiresAt = '';
  try {
    const copy = await createRecord(api, '/links', creationOf(draft), newIdempotencyKey());
    void client.invalidateQueries({ queryKey: keys.links.all });
    toast(`${link.domain}/${link.key} duplicated`);
    return copy;
  } catch (error) {
    toastError(error);
    return undefined;
  }
}
