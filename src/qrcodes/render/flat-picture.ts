import { type Color, parseColor } from './color.ts';
import { Coverage, FULL } from './coverage.ts';
import type { Drawing, PictureShape, Shape } from './drawing-types.ts';
import { MOST_PX } from './painted-picture.ts';
import { type Mixer, MOST_COLORS, MOST_OF_GRADIENTS, Palette } from './palette.ts';
import { countColors, gradientShader, type Shader } from './shader.ts';

/** A picture of few colors. */
export interface FlatPicture {
  width: number;
  height: number;
  /** One byte per px, an index of `colors`; each row begins with a 0, its PNG filter. */
  rows: Buffer;
  colors: Color[];
}

/**
 * Draws shapes of few colors with few bytes, which are compressed sooner.
 *
 * @returns `undefined` for more than 256 colors, for pictures behind modules, and for large pictures
 */
export function flatPicture({ width, height, ground, shapes }: Drawing): FlatPicture | undefined {
  if (width * height > MOST_PX) return undefined;
  const all = ground === null ? shapes : [ground, ...shapes];
  if (!all.every(isFilled)) return undefined;
  const gradients = new Set(all.map(({ fill }) => fill).filter((fill) => typeof fill !== 'string'));
  if (countColors(gradients) > MOST_OF_GRADIENTS) return undefined;
  const palette = new Palette(gradients);
  const rows = Buffer.alloc((width + 1) * height);
  const coverage = new Coverage({ width, height });
  const shaders = new Map(
    Array.from(gradients, (gradient) => [
      gradient,
      gradientShader<Uint8Array>(gradient, palette.stepsOf(gradient)),
    ]),
  );
  const colors = new Uint8Array(width);
  for (const shape of all) {
    const { fill } = shape;
    if (typeof fill === 'string') {
      const color = parseColor(fill);
      const mix = palette.mixer(color);
      coverage.cover(shape, (y, runs, end) => {
        paint(rows, y * (width + 1) + 1, runs, end, mix, color.a === 1);
      });
    } else {
      const shader = shaders.get(fill)!;
      coverage.cover(shape, (y, runs, end) => {
        shade(rows, y * (width + 1) + 1, runs, end, y, shader, colors, palette);
      });
    }
    if (palette.colors.length > MOST_COLORS) return undefined;
  }
  return { width, height, rows, colors: palette.colors };
}

const isFilled = (shape: Shape | PictureShape): shape is Shape => 'fill' in shape;

/**
 * Paints the runs of a row with a gradient.
 *
 * @param start index of its first px
 * @param colors memory for a row
 */
function shade(
  rows: Buffer,
  start: number,
  runs: Int32Array,
  end: number,
  y: number,
  shader: Shader<Uint8Array>,
  colors: Uint8Array,
  palette: Palette,
): void {
  for (let run = 0; run < end; run += 3) {
    const from = runs[run]!;
    const count = runs[run + 1]! - from;
    const share = runs[run + 2]!;
    const at = start + from;
    if (share === FULL) {
      shader(rows, at, count, from, y);
      continue;
    }
    shader(colors, 0, count, from, y);
    for (let index = 0; index < count; index += 1) {
      rows[at + index] = palette.mix(rows[at + index]!, colors[index]!, share);
    }
  }
}

/** Paints the runs of a row. @param start index of its first px */
function paint(
  rows: Buffer,
  start: number,
  runs: Int32Array,
  end: number,
  mix: Mixer,
  isOpaque: boolean,
): void {
  for (let run = 0; run < end; run += 3) {
    let at = start + runs[run]!;
    const to = start + runs[run + 1]!;
    const share = runs[run + 2]!;
    if (share === FULL && isOpaque) {
      const own = mix(0, FULL);
      // A loop fills short runs faster.
      if (to - at > 64) rows.fill(own, at, to);
      else for (; at < to; at += 1) rows[at] = own;
      continue;
    }
    // Most runs lie on one color, so that one mixture serves all of their px.
    while (at < to) {
      const below = rows[at]!;
      const mixed = mix(below, share);
      do {
        rows[at] = mixed;
        at += 1;
      } while (at < to && rows[at] === below);
    }
  }
}
