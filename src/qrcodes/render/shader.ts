import type { Gradient, Paint, Stop } from '../../images/vector/types.ts';
import { type Color, parseColor } from './color.ts';
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
export type Shader = (into: Uint32Array, at: number, count: number, x: number, y: number) => void;

/** Number of colors of a gradient: neighbors differ by a level or two where stops are close. */
const STEPS = 1_024;

/** Packs a color into a px. */
function packed({ r, g, b, a }: Color): number {
  return new Uint32Array(Uint8Array.of(r, g, b, Math.round(a * 255)).buffer)[0]!;
}

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
  return paint.kind === 'linear' ? linear(paint) : radial(paint);
}

function linear({ x1, y1, x2, y2, stops }: Extract<Gradient, { kind: 'linear' }>): Shader {
  const colors = colorsOf(stops);
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

function radial({ cx, cy, r, stops }: Extract<Gradient, { kind: 'radial' }>): Shader {
  const colors = colorsOf(stops);
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

/** The colors of a gradient at equal steps, mixed in sRGB as in SVG. */
function colorsOf(stops: readonly Stop[]): Uint32Array {
  const colors = new Uint32Array(STEPS);
  const bytes = new Uint8Array(colors.buffer);
  const parsed = stops.map(({ at, color }) => ({ at: at * (STEPS - 1), color: parseColor(color) }));
  let next = 1;
  for (let step = 0; step < STEPS; step += 1) {
    while (next < parsed.length - 1 && parsed[next]!.at <= step) next += 1;
    const [before, after] = [parsed[next - 1]!, parsed[next]!];
    const length = after.at - before.at;
    const share = length > 0 ? Math.min(1, Math.max(0, (step - before.at) / length)) : 1;
    const [from, to] = [before.color, after.color];
    bytes[step * 4] = from.r + (to.r - from.r) * share + 0.5;
    bytes[step * 4 + 1] = from.g + (to.g - from.g) * share + 0.5;
    bytes[step * 4 + 2] = from.b + (to.b - from.b) * share + 0.5;
    bytes[step * 4 + 3] = 255;
  }
  return colors;
}

/** Fixed-point factor of places between the px of a picture, which keeps sums within 32 bits. */
const SCALE = 256;

/** The shader of a picture, interpolated between the centers of its px. */
export function pictureShader({ side, rgb, box }: PictureShape['picture']): Shader {
  const color = new Uint32Array(1);
  const bytes = new Uint8Array(color.buffer).fill(255);
  const start = Math.floor(box.x);
  const columns = placesOf(side, box.x, box.width);
  const rows = placesOf(side, box.y, box.height);
  return (into, at, count, x, y) => {
    const row = rows[y - Math.floor(box.y)]!;
    const top = (row >> 8) * side * 3;
    const below = (row >> 8) + 1 < side ? side * 3 : 0;
    const down = row & (SCALE - 1);
    for (let index = 0; index < count; index += 1) {
      const column = columns[x + index - start]!;
      const left = top + (column >> 8) * 3;
      const next = (column >> 8) + 1 < side ? 3 : 0;
      const along = column & (SCALE - 1);
      for (let part = 0; part < 3; part += 1) {
        const one = left + part;
        const upper = rgb[one]! * (SCALE - along) + rgb[one + next]! * along;
        const lower = rgb[one + below]! * (SCALE - along) + rgb[one + below + next]! * along;
        bytes[part] = (upper * (SCALE - down) + lower * down + 0x8000) >> 16;
      }
      into[at + index] = color[0]!;
    }
  };
}

/** The place in a picture of each px that its box touches in one direction. */
function placesOf(side: number, start: number, length: number): Int32Array {
  const first = Math.floor(start);
  return Int32Array.from({ length: Math.ceil(start + length) - first }, (_, index) => {
    const place = ((first + index + 0.5 - start) * side) / length - 0.5;
    return Math.min(side - 1, Math.max(0, place)) * SCALE;
  });
}
