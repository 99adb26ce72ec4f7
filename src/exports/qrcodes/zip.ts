import { zipSync } from 'fflate';
import type { Format } from '../../qrcodes/render/design.ts';

/*
 * A ZIP file (APPNOTE 6.3) that is written in parts by several jobs. Each file in it is packed as a
 * ZIP file of its own, of which the entry and its row of the directory are taken; the rows of all
 * follow at the end. Sizes and positions have 32 bits, and the number of files 16, which the limits
 * of exports do not exceed.
 */

/** Size of the record at the end of a file without a comment (4.3.16). */
const END_BYTES = 22;
/** Positions in that record. */
const END = { entriesHere: 8, entries: 10, size: 12, start: 16 };
/** Position of the entry's place in a row of the directory (4.3.12). */
const ENTRY_AT = 42;

/** Compression of images, which most formats have already. */
const LEVELS: Partial<Record<Format | 'csv', 6>> = { svg: 6, eps: 6, csv: 6 };

/** A file in a ZIP file: its entry, and its row of the directory. */
export interface ZipEntry {
  entry: Uint8Array;
  directory: Uint8Array;
}

const viewOf = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Packs a file.
 *
 * @param at position of the entry in the ZIP file
 */
export function zipEntry(
  name: string,
  bytes: Uint8Array,
  { at, format, time }: { at: number; format: Format | 'csv'; time: Date },
): ZipEntry {
  const file = zipSync({ [name]: [bytes, { level: LEVELS[format] ?? 0, mtime: time }] });
  const end = viewOf(file.subarray(file.length - END_BYTES));
  const start = end.getUint32(END.start, true);
  const directory = file.subarray(start, start + end.getUint32(END.size, true));
  viewOf(directory).setUint32(ENTRY_AT, at, true);
  return { entry: file.subarray(0, start), directory };
}

/**
 * Returns the record at the end of a ZIP file.
 *
 * @param directory size of the directory in bytes, its position, and its number of rows
 */
export function zipEnd(directory: { size: number; at: number; rows: number }): Uint8Array {
  const end = zipSync({});
  const view = viewOf(end);
  view.setUint16(END.entriesHere, directory.rows, true);
  view.setUint16(END.entries, directory.rows, true);
  view.setUint32(END.size, directory.size, true);
  view.setUint32(END.start, directory.at, true);
  return end;
}
