/*
 * The container of favicons (Microsoft, "Icons"): images in several sizes, each a PNG, or a bitmap
 * without its file header whose rows are followed by a mask of transparent pixels.
 */

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const ENTRY_BYTES = 16;
/** Longest side of a bitmap, in px, as the container states it. */
const MAX_SIDE = 256;
/** Size of the smallest header of a bitmap, in bytes. */
const HEADER_BYTES = 40;

/** Pixels in rows from top to bottom, 4 bytes each: red, green, blue, alpha. */
export interface Pixels {
  rgba: Buffer;
  width: number;
  height: number;
}

/** Returns true for a file that begins as an ICO. */
export const isIco = (file: Buffer): boolean =>
  file.length > 6 && file.readUInt32LE(0) === 0x00010000 && file.readUInt16LE(4) > 0;

interface Entry {
  side: number;
  bits: number;
  data: Buffer;
}

function entriesOf(file: Buffer): Entry[] {
  const entries: Entry[] = [];
  const count = file.readUInt16LE(4);
  for (
    let at = 6;
    at < 6 + count * ENTRY_BYTES && at + ENTRY_BYTES <= file.length;
    at += ENTRY_BYTES
  ) {
    const size = file.readUInt32LE(at + 8);
    const offset = file.readUInt32LE(at + 12);
    const data = file.subarray(offset, offset + size);
    // A width of 0 means 256.
    const side = file.readUInt8(at) || MAX_SIDE;
    if (size > 0 && data.length === size)
      entries.push({ side, bits: file.readUInt16LE(at + 6), data });
  }
  return entries;
}

/**
 * Finds the image of an ICO that suits a size best: the smallest that is large enough, or else the
 * largest; of several, the one with most colors.
 *
 * @returns the bytes of a PNG, or pixels; `undefined` if there is no whole image
 */
export function imageInIco(file: Buffer, side: number): Buffer | Pixels | undefined {
  const distance = (entry: Entry) =>
    entry.side >= side ? entry.side - side : MAX_SIDE + side - entry.side;
  const [best] = entriesOf(file).toSorted((a, b) => distance(a) - distance(b) || b.bits - a.bits);
  if (best === undefined) return undefined;
  const isPng = best.data.subarray(0, PNG.length).equals(PNG);
  return isPng ? best.data : pixelsOf(best.data);
}

/** Decodes an uncompressed bitmap with its mask; `undefined` for any other, or an incomplete one. */
function pixelsOf(data: Buffer): Pixels | undefined {
  if (data.length < HEADER_BYTES) return undefined;
  const headerBytes = data.readUInt32LE(0);
  const width = data.readInt32LE(4);
  // The stated height includes the mask.
  const height = data.readInt32LE(8) / 2;
  const bits = data.readUInt16LE(14);
  const isUncompressed = data.readUInt32LE(16) === 0;
  const isSize = (side: number) => Number.isInteger(side) && side > 0 && side <= MAX_SIDE;
  if (headerBytes < HEADER_BYTES || !isUncompressed || !isSize(width) || !isSize(height)) {
    return undefined;
  }
  if (![1, 4, 8, 24, 32].includes(bits)) return undefined;
  const colors = bits > 8 ? 0 : Math.min(data.readUInt32LE(32) || 2 ** bits, 2 ** bits);
  const rowBytes = Math.ceil((width * bits) / 32) * 4;
  const maskBytes = Math.ceil(width / 32) * 4;
  const rows = headerBytes + colors * 4;
  const mask = rows + rowBytes * height;
  if (mask > data.length) return undefined;
  // Some programs leave out the mask of images with an alpha channel.
  const hasMask = mask + maskBytes * height <= data.length;
  const palette = data.subarray(headerBytes, rows);
  const rgba = Buffer.alloc(width * height * 4);
  let isOpaque = false;
  for (let y = 0; y < height; y += 1) {
    const row = data.subarray(rows + rowBytes * (height - 1 - y));
    for (let x = 0; x < width; x += 1) {
      const to = (y * width + x) * 4;
      const color = bits > 8 ? row.subarray((x * bits) / 8) : colorAt(row, x, bits, palette);
      rgba[to] = color[2] ?? 0;
      rgba[to + 1] = color[1] ?? 0;
      rgba[to + 2] = color[0] ?? 0;
      rgba[to + 3] = bits === 32 ? color[3]! : 255;
      isOpaque ||= rgba[to + 3]! > 0;
    }
  }
  // An alpha channel of zeros means that there is none.
  if (bits < 32 || !isOpaque)
    applyMask(rgba, hasMask ? data.subarray(mask) : undefined, width, maskBytes);
  return { rgba, width, height };
}

/** Returns a color of the palette. */
function colorAt(row: Buffer, x: number, bits: number, palette: Buffer): Buffer {
  const byte = row[Math.floor((x * bits) / 8)]!;
  const index = (byte >> (8 - bits - ((x * bits) % 8))) & (2 ** bits - 1);
  return palette.subarray(index * 4);
}

/** Makes the pixels transparent that the mask has, and all others opaque. */
function applyMask(rgba: Buffer, mask: Buffer | undefined, width: number, maskBytes: number): void {
  const height = rgba.length / 4 / width;
  for (let y = 0; y < height; y += 1) {
    const row = mask?.subarray(maskBytes * (height - 1 - y));
    for (let x = 0; x < width; x += 1) {
      const isMasked = ((row?.[x >> 3] ?? 0) >> (7 - (x & 7))) & 1;
      rgba[(y * width + x) * 4 + 3] = isMasked === 1 ? 0 : 255;
    }
  }
}
