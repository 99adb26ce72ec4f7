import { deflateSync } from 'node:zlib';
import { pngChunk } from '../../infra/png-chunk.ts';
import type { Color } from './color.ts';
import type { PaintedPicture } from './painted-picture.ts';
import { resolutionChunk } from './resolution.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Content of an indexed PNG. */
export interface Indexed {
  width: number;
  height: number;
  /** Bits per px. */
  depth: 1 | 8;
  /** Rows of indexes, each after the byte of its filter. */
  rows: Buffer;
  /** At most two, or 256. */
  colors: readonly Color[];
  /** Level of the compression, 1 to 9. */
  effort: number;
}

/** Color types of PNG (PNG, 11.2.2). */
const INDEXED = 3;
const TRUECOLOR_WITH_ALPHA = 6;

/**
 * Writes an indexed PNG (PNG, 11.2).
 *
 * @param dpi resolution that the file states; absent: none
 */
export function indexedPng(
  { width, height, depth, rows, colors, effort }: Indexed,
  dpi: number | undefined,
): Buffer {
  const isOpaque = colors.every(({ a }) => a === 1);
  const opacities = colors.map(({ a }) => Math.round(a * 255));
  const palette = [
    pngChunk('PLTE', Buffer.from(colors.flatMap(({ r, g, b }) => [r, g, b]))),
    ...(isOpaque ? [] : [pngChunk('tRNS', Buffer.from(opacities))]),
  ];
  return pngFile({ width, height, depth, type: INDEXED, palette, rows, effort, dpi });
}

/**
 * Writes a PNG of any colors with opacity.
 *
 * @param dpi resolution that the file states; absent: none
 */
export function truecolorPng(
  { width, height, rgba }: PaintedPicture,
  effort: number,
  dpi: number | undefined,
): Buffer {
  const bytes = width * 4;
  const rows = Buffer.alloc((1 + bytes) * height);
  for (let y = 0; y < height; y += 1) {
    // The byte before each row is its filter, none: others take time, and save little where modules
    // repeat.
    rows.set(rgba.subarray(y * bytes, (y + 1) * bytes), y * (1 + bytes) + 1);
  }
  const type = TRUECOLOR_WITH_ALPHA;
  return pngFile({ width, height, depth: 8, type, palette: [], rows, effort, dpi });
}

interface PngFile {
  width: number;
  height: number;
  depth: number;
  type: number;
  palette: Buffer[];
  rows: Buffer;
  effort: number;
  dpi: number | undefined;
}

function pngFile({ width, height, depth, type, palette, rows, effort, dpi }: PngFile): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Compression, filter and interlace methods are 0.
  header.set([depth, type, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', header),
    ...(dpi === undefined ? [] : [resolutionChunk(dpi)]),
    ...palette,
    pngChunk('IDAT', deflateSync(rows, { level: effort })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}
