import { deflateSync } from 'node:zlib';
import { pngChunk } from '../../infra/png-chunk.ts';
import type { Color } from './color.ts';
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

/**
 * Writes an indexed PNG (PNG, 11.2).
 *
 * @param dpi resolution that the file states; absent: none
 */
export function indexedPng(
  { width, height, depth, rows, colors, effort }: Indexed,
  dpi: number | undefined,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Color type 3 is indexed; compression, filter and interlace methods are 0.
  header.set([depth, 3, 0, 0, 0], 8);
  const isOpaque = colors.every(({ a }) => a === 1);
  const opacities = colors.map(({ a }) => Math.round(a * 255));
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', header),
    ...(dpi === undefined ? [] : [resolutionChunk(dpi)]),
    pngChunk('PLTE', Buffer.from(colors.flatMap(({ r, g, b }) => [r, g, b]))),
    ...(isOpaque ? [] : [pngChunk('tRNS', Buffer.from(opacities))]),
    pngChunk('IDAT', deflateSync(rows, { level: effort })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}
