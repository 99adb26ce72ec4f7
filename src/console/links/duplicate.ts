import { createDuplicate, duplicated } from '../short-links/duplicate.ts';
import type { WriteContext } from '../short-links/pending.ts';
import { type Link, nameOf } from './kind.ts';

/**
 * Creates a copy of a link under a random slug.
 *
 * @returns the new link; `undefined` if the creation failed
 */
export async function duplicateLink(
  context: WriteContext,
  link: Link,
): Promise<{ id: string } | undefined> {
  const { creationOf, draftOf } = await import('./edit/draft.ts');
  const body = creationOf(duplicated(draftOf(link), link));
  return createDuplicate(context, '/links', nameOf(link), body);
}
