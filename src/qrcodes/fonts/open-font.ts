import { createRequire } from 'node:module';
import { brotliDecompressSync, inflateSync } from 'node:zlib';
import type { Fontkit } from '../render/open-script-font.ts';
import { decompressTables, type VariableFont } from '../render/open-script-font.ts';
import { unpacked } from '../render/woff.ts';

/** The part of fontkit that reads a font of a workspace. */
export type OpenFont = VariableFont & {
  fullName: string | null;
  capHeight?: number;
  characterSet: number[];
  'OS/2'?: {
    fsType?: { noEmbedding: boolean; viewOnly: boolean; editable: boolean; bitmapOnly: boolean };
  };
  hhea: { numberOfMetrics: number };
};

/** Maximum size of an unpacked font, in bytes. */
const MAX_UNPACKED = 16 * 1024 * 1024;

/**
 * Opens a WOFF2, WOFF, TrueType or OpenType file. A variable font is opened at its default.
 *
 * @throws Error for a file that cannot be read
 */
export function openFont(bytes: Uint8Array): OpenFont {
  const fontkit = createRequire(import.meta.url)('fontkit') as Fontkit;
  const inflate = (part: Uint8Array, length: number) =>
    inflateSync(part, { maxOutputLength: Math.min(length, MAX_UNPACKED) });
  const font = fontkit.create(unpacked(bytes, inflate, MAX_UNPACKED)) as OpenFont;
  if (!('totalCompressedSize' in font.directory)) return font;
  decompressTables(font, (tables) =>
    brotliDecompressSync(tables, { maxOutputLength: MAX_UNPACKED }),
  );
  restoreWidths(font);
  return font;
}

/** Bits of a transformed `hmtx` table: it lacks the side bearings (WOFF2, 5.4). */
const LACKS_BEARINGS = 0b01;

/** Rebuilds a transformed `hmtx` table, which fontkit would read as a plain one. */
function restoreWidths(font: OpenFont): void {
  const { hmtx } = font.directory.tables;
  if (hmtx?.transformed !== true) return;
  const count = font.hhea.numberOfMetrics;
  const glyphs = font.numGlyphs;
  const all = font.stream.buffer;
  const source = new DataView(all.buffer, all.byteOffset + hmtx.offset);
  const lacksBearings = (source.getUint8(0) & LACKS_BEARINGS) !== 0;
  if (!lacksBearings && count === glyphs) throw new Error('hmtx is not transformed');
  const table = new DataView(new ArrayBuffer(count * 4 + Math.max(0, glyphs - count) * 2));
  for (let at = 0; at < count; at += 1) table.setUint16(at * 4, source.getUint16(1 + at * 2));
  const longer = new Uint8Array(all.length + table.byteLength);
  longer.set(all);
  longer.set(new Uint8Array(table.buffer), all.length);
  hmtx.offset = all.length;
  hmtx.length = table.byteLength;
  font.stream = new font.stream.constructor(longer);
}
