import { constants, deflateSync, type ZlibOptions } from 'node:zlib';
import { pngChunk } from '../../infra/png-chunk.ts';
import type { Color } from './color.ts';
import type { PaintedPicture } from './painted-picture.ts';
import { opaqueRows, translucentRows } from './png-rows.ts';
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
const TRUECOLOR = 2;
const INDEXED = 3;
const TRUECOLOR_WITH_ALPHA = 6;

/** Repeated rows are found by any level. */
const SHAPES: ZlibOptions = { level: 2 };
/** Photographs have few repeated bytes, and a search for them takes most of the time. */
const PHOTOGRAPHS: ZlibOptions = { strategy: constants.Z_RLE };

/**
 * Writes an indexed PNG (PNG, 11.2).
 *
 * @param dpi resolution that the file states; absent: none
 */
export function indexedPng(
  { width, height, depth, rows, colors, effort }: Indexed,
  dpi: number | undefined,
): Buffer {
  const opacities = colors.map(({ a }) => Math.round(a * 255));
  const palette = [
    pngChunk('PLTE', Buffer.from(colors.flatMap(({ r, g, b }) => [r, g, b]))),
    ...(colors.every(({ a }) => a === 1) ? [] : [pngChunk('tRNS', Buffer.from(opacities))]),
  ];
  const compression = { level: effort };
  return pngFile({ width, height, depth, type: INDEXED, palette, rows, compression, dpi });
}

/**
 * Writes a PNG of any colors, with opacity if a px has one.
 *
 * @param dpi resolution that the file states; absent: none
 */
export function truecolorPng(
  { width, height, rgba, hasPhotograph }: PaintedPicture,
  dpi: number | undefined,
): Buffer {
  const pixels = new Int32Array(rgba.buffer, rgba.byteOffset, width * height);
  const picture = { pixels, width, height };
  const file = { width, height, depth: 8, palette: [], dpi };
  const opaque = opaqueRows(picture, hasPhotograph);
  return pngFile({
    ...file,
    type: opaque === undefined ? TRUECOLOR_WITH_ALPHA : TRUECOLOR,
    rows: opaque ?? translucentRows(picture),
    compression: hasPhotograph && opaque !== undefined ? PHOTOGRAPHS : SHAPES,
  });
}

interface PngFile {
  width: number;
  height: number;
  depth: number;
  type: number;
  palette: Buffer[];
  rows: Buffer;
  compression: ZlibOptions;
  dpi: number | undefined;
}

function pngFile({ width, height, depth, type, palette, rows, compression, dpi }: PngFile): Buffer {
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
    pngChunk('IDAT', deflateSync(rows, compression)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}
