import type { ScriptFont, ScriptGlyph } from './script-font.ts';
import { unpacked } from './woff.ts';

/** The part of fontkit that is used. */
export interface Fontkit {
  create(bytes: Uint8Array): object;
}

interface Point {
  endContour: boolean;
  copy(): Point;
}

/** A glyph of a WOFF2 file. */
interface VariableGlyph extends ScriptGlyph {
  id: number;
  _decode(): { points?: Point[] };
}

/** A font of a WOFF2 file. */
export interface VariableFont extends ScriptFont {
  numGlyphs: number;
  stream: Stream;
  directory: { tables: Record<string, Table>; totalCompressedSize: number };
  /** Start of the compressed tables. */
  _dataPos: number;
  _decompressed?: boolean;
  _variationProcessor: { transformPoints(glyph: number, points: Point[]): void };
  glyphForCodePoint(codePoint: number): VariableGlyph;
  constructor: new (stream: Stream, coordinates: number[]) => VariableFont;
}

interface Stream {
  pos: number;
  /** All bytes. */
  buffer: Uint8Array;
  readBuffer(length: number): Uint8Array;
  constructor: new (bytes: Uint8Array) => Stream;
}

interface Table {
  offset: number;
  length: number;
  /** Length in the file, if it differs. */
  transformLength?: number | null;
  /** True if WOFF2 stores the table in another form. */
  transformed?: boolean;
}

/** Decompresses Brotli (RFC 7932). */
type Decompress = (bytes: Uint8Array) => Uint8Array;

/** Points after those of an outline, for its metrics (OpenType, `gvar`). */
const PHANTOM_POINTS = 4;

/**
 * Opens a font file, a variable one at a weight.
 *
 * `getVariation` of fontkit 2 cannot read WOFF2, whose outlines it leaves at the default weight.
 *
 * @param decompress takes the place of fontkit's, which needs ten times the processor time
 */
export function openScriptFont(
  fontkit: Fontkit,
  bytes: Uint8Array,
  weight: number,
  decompress?: Decompress,
): ScriptFont {
  // fontkit's own inflation fails for some tables.
  const plain = fontkit.create(unpacked(bytes)) as VariableFont;
  if (!('fvar' in plain.directory.tables)) return plain;
  plain.stream.pos = 0;
  const font = new plain.constructor(plain.stream, [weight]);
  if (decompress !== undefined) decompressTables(font, decompress);
  const glyphs = new Map<number, ScriptGlyph>();
  const glyphForCodePoint = (codePoint: number): ScriptGlyph => {
    const known = glyphs.get(codePoint);
    if (known !== undefined) return known;
    const glyph = font.glyphForCodePoint(codePoint);
    const decode = glyph._decode.bind(glyph);
    glyph._decode = () => varied(font, glyph.id, decode());
    const { path, advanceWidth } = glyph;
    glyphs.set(codePoint, { path, advanceWidth });
    return { path, advanceWidth };
  };
  return {
    unitsPerEm: font.unitsPerEm,
    hasGlyphForCodePoint: (codePoint) => font.hasGlyphForCodePoint(codePoint),
    layout: (...text) => font.layout(...text),
    glyphForCodePoint,
  };
}

/** Puts the decompressed tables of a font where fontkit would. */
export function decompressTables(font: VariableFont, decompress: Decompress): void {
  const { stream, directory } = font;
  let offset = 0;
  for (const table of Object.values(directory.tables)) {
    table.offset = offset;
    offset += table.transformLength ?? table.length;
  }
  stream.pos = font._dataPos;
  const tables = decompress(stream.readBuffer(directory.totalCompressedSize));
  font.stream = new stream.constructor(tables);
  font._decompressed = true;
}

/** Moves the points of an outline to their places at the weight of the font. */
function varied<Outline extends { points?: Point[] }>(
  { _variationProcessor }: VariableFont,
  glyph: number,
  outline: Outline,
): Outline {
  const { points = [] } = outline;
  if (points.length === 0) return outline;
  const moved = points.map((point) => point.copy());
  const phantoms = Array.from({ length: PHANTOM_POINTS }, () => {
    const point = points[0]!.copy();
    point.endContour = true;
    return point;
  });
  _variationProcessor.transformPoints(glyph, [...moved, ...phantoms]);
  return { ...outline, points: moved };
}
