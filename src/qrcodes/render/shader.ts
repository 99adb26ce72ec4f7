import type { Gradient, Paint } from '../../images/vector/types.ts';
import { type Color, parseColor } from './color.ts';
import { computedOf } from './computed.ts';
import type { PictureShape } from './drawing-types.ts';

/*
 * Colors of px. A px is one number of four bytes: red, green, blue and opacity, in the order in
 * which they lie in memory.
 */

/**
 * Writes the colors of px of one row.
 *
 * @param at index of the first one in `into`
 * @param x the first px in the picture
 */
export type Shader<Into = Uint32Array> = (
  into: Into,
  at: number,
  count: number,
  x: number,
  y: number,
) => void;

/** Number of steps of a gradient: neighbors differ by a level or two where stops are close. */
const STEPS = 1_024;

/** Packs a color into a px, whose lowest byte is the first one in memory. */
const packed = ({ r, g, b, a }: Color): number =>
  (r | (g << 8) | (b << 16) | (Math.round(a * 255) << 24)) >>> 0;

/** The shader of a color or gradient. */
export function shaderOf(paint: Paint): Shader {
  if (typeof paint === 'string') {
    const color = packed(parseColor(paint));
    return (into, at, count) => {
      const end = at + count;
      // A loop fills short runs faster.
      if (count > 64) into.fill(color, at, end);
      else for (; at < end; at += 1) into[at] = color;
    };
  }
  return gradientShader<Uint32Array>(paint, Uint32Array.from(colorsOf(paint), packed));
}

/** The shader of a gradient. @param colors numbers for its colors at equal steps */
export function gradientShader<Into extends Uint8Array | Uint32Array>(
  gradient: Gradient,
  colors: Into,
): Shader<Into> {
  return gradient.kind === 'linear' ? linear(gradient, colors) : radial(gradient, colors);
}

function linear<Into extends Uint8Array | Uint32Array>(
  { x1, y1, x2, y2 }: Extract<Gradient, { kind: 'linear' }>,
  colors: Into,
): Shader<Into> {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const scale = (STEPS - 1) / (dx * dx + dy * dy);
  const [perX, perY] = [dx * scale, dy * scale];
  return (into, at, count, x, y) => {
    let step = (x + 0.5 - x1) * perX + (y + 0.5 - y1) * perY + 0.5;
    for (let end = at + count; at < end; at += 1, step += perX) {
      into[at] = colors[step < 0 ? 0 : step >= STEPS ? STEPS - 1 : step | 0]!;
    }
  };
}

function radial<Into extends Uint8Array | Uint32Array>(
  { cx, cy, r }: Extract<Gradient, { kind: 'radial' }>,
  colors: Into,
): Shader<Into> {
  const scale = (STEPS - 1) / r;
  return (into, at, count, x, y) => {
    const dy = (y + 0.5 - cy) ** 2;
    let dx = x + 0.5 - cx;
    for (let end = at + count; at < end; at += 1, dx += 1) {
      const step = Math.sqrt(dx * dx + dy) * scale + 0.5;
      into[at] = colors[step >= STEPS ? STEPS - 1 : step | 0]!;
    }
  };
}

/** Number of the colors of gradients, some of which may be equal. */
export const countColors = (gradients: Iterable<Gradient>): number =>
  Array.from(gradients, ({ stops }) => stops.map(({ color }) => parseColor(color)))
    .flatMap((colors) => colors.slice(1).map((color, at) => countBetween(colors[at]!, color)))
    .reduce((sum, count) => sum + count, 0);

function countBetween(from: Color, to: Color): number {
  const differences = [from.r - to.r, from.g - to.g, from.b - to.b].map(Math.abs);
  return Math.max(1, Math.ceil(Math.max(...differences) / LEVELS));
}

/** Maximum difference of neighboring colors of a gradient, out of 255. */
const LEVELS = 2;

/**
 * The colors of a gradient at equal steps, mixed in sRGB as in SVG. Between two stops, they are as
 * few as differ by two levels, which nobody sees, and which takes half of the bytes.
 */
export function colorsOf({ stops }: Gradient): Color[] {
  const parsed = stops.map(({ at, color }) => ({ at: at * (STEPS - 1), color: parseColor(color) }));
  const colors: Color[] = [];
  for (let next = 1; next < parsed.length; next += 1) {
    const [before, after] = [parsed[next - 1]!, parsed[next]!];
    const [from, to] = [before.color, after.color];
    const count = countBetween(from, to);
    const mixed = Array.from({ length: count }, (_, index) => {
      const share = (index + 0.5) / count;
      const part = (one: number, other: number) => Math.round(one + (other - one) * share);
      return { r: part(from.r, to.r), g: part(from.g, to.g), b: part(from.b, to.b), a: 1 };
    });
    // Two stops at one place have no colors between them, only that of the second after the last.
    const length = after.at - before.at;
    const perStep = count / length;
    const end = next === parsed.length - 1 ? STEPS : after.at;
    for (let step = colors.length; step < end; step += 1) {
      const index = Math.floor((step - before.at) * perStep);
      colors.push(length === 0 ? to : mixed[Math.min(count - 1, Math.max(0, index))]!);
    }
  }
  return colors;
}

/** Fixed-point factor of places between the px of a picture, which keeps sums within 32 bits. */
const SCALE = 256;

/** Maximum number of px of a scaled picture that is kept. */
const MOST_KEPT = 1_048_576;

/** The shader of a picture, interpolated between the centers of its px. */
export function pictureShader({ side, rgb, box }: PictureShape['picture']): Shader {
  const { x: boxX, y: boxY, width, height } = box;
  const [left, top] = [Math.floor(boxX), Math.floor(boxY)];
  const columns = placesOf(side, boxX, width);
  const rows = placesOf(side, boxY, height);
  const stride = columns.length;
  if (stride * rows.length > MOST_KEPT) {
    return (into, at, count, x, y) => {
      scale(rgb, side, rows[y - top]!, columns, x - left, into, at, count);
    };
  }
  const [pixels] = computedOf(rgb, `scaled ${boxX} ${boxY} ${width} ${height}`, () => {
    const scaled = new Uint32Array(stride * rows.length);
    for (const [y, row] of rows.entries()) {
      scale(rgb, side, row, columns, 0, scaled, y * stride, stride);
    }
    return [scaled] as const;
  });
  return (into, at, count, x, y) => {
    const from = (y - top) * stride + x - left;
    into.set(pixels.subarray(from, from + count), at);
  };
}

/**
 * Writes px of a row of a picture.
 *
 * @param row place of the row in the picture
 * @param first index of the first place in `columns`
 */
function scale(
  rgb: Uint8Array,
  side: number,
  row: number,
  columns: Int32Array,
  first: number,
  into: Uint32Array,
  at: number,
  count: number,
): void {
  const top = (row >> 8) * side * 3;
  const below = (row >> 8) + 1 < side ? side * 3 : 0;
  const down = row & (SCALE - 1);
  const up = SCALE - down;
  for (let index = 0; index < count; index += 1) {
    const column = columns[first + index]!;
    const left = top + (column >> 8) * 3;
    const along = column & (SCALE - 1);
    const right = left + ((column >> 8) + 1 < side ? 3 : 0);
    const back = SCALE - along;
    // One statement for each part, as a loop over three takes twice as long.
    const red =
      ((rgb[left]! * back + rgb[right]! * along) * up +
        (rgb[left + below]! * back + rgb[right + below]! * along) * down +
        0x8000) >>
      16;
    const green =
      ((rgb[left + 1]! * back + rgb[right + 1]! * along) * up +
        (rgb[left + below + 1]! * back + rgb[right + below + 1]! * along) * down +
        0x8000) >>
      16;
    const blue =
      ((rgb[left + 2]! * back + rgb[right + 2]! * along) * up +
        (rgb[left + below + 2]! * back + rgb[right + below + 2]! * along) * down +
        0x8000) >>
      16;
    into[at + index] = red | (green << 8) | (blue << 16) | OPAQUE;
  }
}

/** The opacity of an opaque px. */
const OPAQUE = 0xff << 24;

/** The place in a picture of each px that its box touches in one direction. */
function placesOf(side: number, start: number, length: number): Int32Array {
  const first = Math.floor(start);
  return Int32Array.from({ length: Math.ceil(start + length) - first }, (_, index) => {
    const place = ((first + index + 0.5 - start) * side) / length - 0.5;
    return Math.min(side - 1, Math.max(0, place)) * SCALE;
  });
}
