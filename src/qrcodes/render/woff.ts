import { unzlibSync } from 'fflate';

/* WOFF 1.0: a header, a directory of tables, and tables, each compressed with zlib or plain. */

const WOFF = 0x77_4f_46_46;
/** Bytes of the headers and of the rows of the directories of WOFF and OpenType. */
const HEADER = { woff: 44, plain: 12 };
const ROW = { woff: 20, plain: 16 };

/**
 * Unpacks a WOFF file to OpenType; any other file is returned as it is.
 *
 * @param inflate decompresses a table of a length in bytes (RFC 1950)
 * @param maxSize maximum size of the result, in bytes
 * @throws Error for a damaged or a larger file
 */
export function unpacked(
  file: Uint8Array,
  inflate: (bytes: Uint8Array, length: number) => Uint8Array = (bytes) => unzlibSync(bytes),
  maxSize = Number.POSITIVE_INFINITY,
): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (view.getUint32(0) !== WOFF) return file;
  const count = view.getUint16(12);
  const tables = Array.from({ length: count }, (_, at) => {
    const row = HEADER.woff + at * ROW.woff;
    const [offset, packed, length] = [4, 8, 12].map((field) => view.getUint32(row + field)) as [
      number,
      number,
      number,
    ];
    return { row, length, packed, bytes: file.subarray(offset, offset + packed) };
  });
  const padded = (length: number) => (length + 3) & ~3;
  const first = HEADER.plain + count * ROW.plain;
  const size = tables.reduce((sum, { length }) => sum + padded(length), first);
  if (size > maxSize) throw new Error(`the font has ${size} bytes`);
  const result = new Uint8Array(size);
  const output = new DataView(result.buffer);
  output.setUint32(0, view.getUint32(4));
  output.setUint16(4, count);
  let position = first;
  for (const [at, { row, length, packed, bytes }] of tables.entries()) {
    const target = HEADER.plain + at * ROW.plain;
    output.setUint32(target, view.getUint32(row));
    output.setUint32(target + 4, view.getUint32(row + 16));
    output.setUint32(target + 8, position);
    output.setUint32(target + 12, length);
    result.set(packed < length ? inflate(bytes, length) : bytes, position);
    position += padded(length);
  }
  return result;
}
