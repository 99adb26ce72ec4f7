import { createDuplicate, duplicated } from '../short-links/duplicate.ts';
import type { WriteContext } from '../short-links/pending.ts';
import type { QrCode } from './look.ts';
import { nameOf } from './row.tsx';

/**
 * Creates a copy of a QR code, whose short link has a random slug.
 *
 * @returns the new code; `undefined` if the creation failed
 */
export async function duplicateCode(
  context: WriteContext,
  record: QrCode,
): Promise<{ id: string } | undefined> {
  const { creationOf, draftOf } = await import('./draft.ts');
  const draft = draftOf(record);
  const body = creationOf({ ...draft, shortLink: duplicated(draft.shortLink, record) });
  return createDuplicate(context, '/qrcodes', nameOf(record), body);
}
