import { deflateSync, inflateSync } from 'node:zlib';
import { pngChunk } from '../../infra/png-chunk.ts';
import type { Gradient, Paint, Stroke, Vector, VectorShape } from './types.ts';

/*
 * The shapes of an image are stored within its PNG, in a chunk of compressed text (PNG, 11.3.4.2),
 * so that copies, caches and exports of the image have both.
 */

const KEYWORD = Buffer.from('Shapes\0\0', 'latin1');
/** Bytes of a PNG before its first chunk, and of a chunk besides its data. */
const SIGNATURE = 8;
const FRAME = 12;
/** Maximum length of the shapes as text: EPS files of larger ones exceed 300 kB. */
const MAX_TEXT = 180_000;

/** Adds shapes to a PNG; those of too complex an image are left out. */
export function withVector(png: Buffer, vector: Vector): Buffer {
  const text = JSON.stringify(vector, (_, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 1000) / 1000 : value,
  );
  if (text.length > MAX_TEXT) return png;
  const data = Buffer.concat([KEYWORD, deflateSync(Buffer.from(text, 'latin1'))]);
  // The header comes first (PNG, 5.6).
  const start = SIGNATURE + FRAME + png.readUInt32BE(SIGNATURE);
  return Buffer.concat([png.subarray(0, start), pngChunk('zTXt', data), png.subarray(start)]);
}

/** Reads the shapes of a PNG; `undefined` for one without any, or with broken ones. */
export function vectorIn(png: Buffer): Vector | undefined {
  for (let at = SIGNATURE; at + FRAME <= png.length; ) {
    const end = at + FRAME + png.readUInt32BE(at);
    const data = png.subarray(at + 8, end - 4);
    const isOurs = png.toString('latin1', at + 4, at + 8) === 'zTXt';
    if (isOurs && data.subarray(0, KEYWORD.length).equals(KEYWORD)) {
      return parse(data.subarray(KEYWORD.length));
    }
    at = end;
  }
  return undefined;
}

/** Another installation may have written the shapes, so nothing about them is trusted. */
function parse(compressed: Buffer): Vector | undefined {
  try {
    const text = inflateSync(compressed, { maxOutputLength: MAX_TEXT }).toString('latin1');
    const value: unknown = JSON.parse(text);
    return isVector(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) < 1e6;
const isColor = (value: unknown): boolean =>
  typeof value === 'string' && /^#[0-9A-F]{6}([0-9A-F]{2})?$/.test(value);
const isArrayOf = (value: unknown, is: (one: never) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => is(one as never));

function isVector(value: unknown): value is Vector {
  const { width, height, shapes } = (value ?? {}) as Partial<Vector>;
  return (
    isNumber(width) && width > 0 && isNumber(height) && height > 0 && isArrayOf(shapes, isShape)
  );
}

const PATH = /^[MLCZ\d. e-]*$/;

const isShape = ({ path, fill, evenOdd, stroke }: VectorShape): boolean =>
  typeof path === 'string' &&
  PATH.test(path) &&
  (fill === undefined || isPaint(fill)) &&
  (evenOdd === undefined || evenOdd) &&
  (stroke === undefined || isStroke(stroke));

const isPaint = (paint: Paint): boolean => isColor(paint) || isGradient(paint as Gradient);

function isGradient(gradient: Gradient): boolean {
  const { stops, kind, ...numbers } = gradient;
  const names = kind === 'linear' ? ['x1', 'y1', 'x2', 'y2'] : ['cx', 'cy', 'r'];
  return (
    (kind === 'linear' || kind === 'radial') &&
    Object.keys(numbers).join() === names.join() &&
    Object.values(numbers).every(isNumber) &&
    isArrayOf(
      stops,
      ({ at, color }: { at: unknown; color: unknown }) =>
        isNumber(at) && at >= 0 && at <= 1 && isColor(color),
    ) &&
    stops.length >= 2
  );
}

const isStroke = ({ color, width, cap, join, miterLimit, dashes }: Stroke): boolean =>
  isColor(color) &&
  isNumber(width) &&
  ['butt', 'round', 'square'].includes(cap) &&
  ['miter', 'round', 'bevel'].includes(join) &&
  isNumber(miterLimit) &&
  isArrayOf(dashes, isNumber);
