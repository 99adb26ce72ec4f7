import type { Requester } from '../http/route.ts';
import { type Framing, withFrameable } from '../short-links/destination.ts';
import { qrCodeQueries } from './queries.ts';
import type { QrCodeChanges } from './schema.ts';

/** Reads the fields of a QR code that decide which destinations are shown in a frame. */
export const findFraming = async (projectId: string, ref: string): Promise<Framing | undefined> =>
  (await qrCodeQueries.findByRef(projectId, ref)) as Framing | undefined;

/** Adds to a QR code whether its destination may be shown in a frame. */
export async function withFraming<Changes extends QrCodeChanges>(
  request: Requester,
  changes: Changes,
  before?: () => Promise<readonly (Framing | undefined)[]>,
): Promise<Changes> {
  const { content } = changes;
  const leads = content && { url: content.type === 'url' ? (content.value as string) : null };
  const { frameable } = await withFrameable(request, { ...changes, ...leads } as Framing, before);
  return frameable === undefined ? changes : { ...changes, frameable };
}
