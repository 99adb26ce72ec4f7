import type { Cursor } from '../store/store.ts';

/** Encodes the position of an event as the opaque cursor of the next page. */
export const writeCursor = ({ atMicros, id }: Cursor): string =>
  Buffer.from(`${atMicros} ${id}`).toString('base64url');

/** Decodes a cursor of {@link writeCursor}. Returns `undefined` for any other text. */
export function readCursor(text: string): Cursor | undefined {
  const [, at, id] =
    /^(-?\d{1,17}) ([\w-]{1,60})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return at === undefined ? undefined : { atMicros: Number(at), id: id! };
}
