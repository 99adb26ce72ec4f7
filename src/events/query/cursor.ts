import type { Cursor } from '../store/store.ts';

/** The opaque cursor of the page after an event. */
export const writeCursor = ({ atMicros, id }: Cursor): string =>
  Buffer.from(`${atMicros} ${id}`).toString('base64url');

/** Reads a cursor of {@link writeCursor}; `undefined` for other texts. */
export function readCursor(text: string): Cursor | undefined {
  const [, at, id] =
    /^(-?\d{1,17}) ([\w-]{1,60})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return at === undefined ? undefined : { atMicros: Number(at), id: id! };
}
