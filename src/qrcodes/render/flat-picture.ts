import { type Color, parseColor } from './color.ts';
import { cover, FULL } from './coverage.ts';
import type { Drawing, PictureShape, Shape } from './drawing-types.ts';
import { MOST_PX } from './painted-picture.ts';

/** Number of colors that an indexed PNG may have (PNG, 11.2.2). */
const MOST_COLORS = 256;
/** A picture of few colors. */
export interface FlatPicture {
  width: number;
  height: number;
  /** One byte per px, an index of `colors`; each row begins with a 0, its PNG filter. */
  rows: Buffer;
  colors: Color[];
}

/** A shape of one color. */
interface FlatShape extends Shape {
  fill: string;
}

/**
 * Draws shapes of flat colors with few bytes, which are compressed sooner.
 *
 * @returns `undefined` for gradients, for pictures of more than 256 colors, and for large ones
 */
export function flatPicture({ width, height, ground, shapes }: Drawing): FlatPicture | undefined {
  if (width * height > MOST_PX) return undefined;
  const all = ground === null ? shapes : [ground, ...shapes];
  if (!all.every(isFlat)) return undefined;
  const palette = new Palette();
  const rows = Buffer.alloc((width + 1) * height);
  for (const shape of all) {
    const color = parseColor(shape.fill);
    paint(rows, { width, height }, shape, palette.mixer(color), color.a === 1);
    if (palette.colors.length > MOST_COLORS) return undefined;
  }
  return { width, height, rows, colors: palette.colors };
}

const isFlat = (shape: Shape | PictureShape): shape is FlatShape =>
  'fill' in shape && typeof shape.fill === 'string';

/** Returns the index of a color that covers a share of another one. */
type Mixer = (below: number, share: number) => number;

function paint(
  rows: Buffer,
  picture: { width: number; height: number },
  shape: Shape,
  mix: Mixer,
  isOpaque: boolean,
): void {
  const stride = picture.width + 1;
  cover(shape, picture, (y, from, to, share) => {
    const end = y * stride + 1 + to;
    let at = y * stride + 1 + from;
    if (share === FULL && isOpaque) {
      const own = mix(0, FULL);
      // A loop fills short runs faster.
      if (end - at > 64) rows.fill(own, at, end);
      else for (; at < end; at += 1) rows[at] = own;
      return;
    }
    // Most runs lie on one color, so that one mixture serves all of their px.
    while (at < end) {
      const below = rows[at]!;
      const mixed = mix(below, share);
      do {
        rows[at] = mixed;
        at += 1;
      } while (at < end && rows[at] === below);
    }
  });
}

/** The colors of a picture, of which the first is transparent. */
class Palette {
  readonly colors: Color[] = [];
  readonly #indexes = new Map<string, number>();

  constructor() {
    this.#indexOf({ r: 0, g: 0, b: 0, a: 0 });
  }

  /** Mixes a color with others, and remembers the results. */
  mixer(color: Color): Mixer {
    const mixed = new Int16Array(MOST_COLORS * (FULL + 1)).fill(-1);
    return (below, share) => {
      const place = below * (FULL + 1) + share;
      let index = mixed[place]!;
      if (index < 0) {
        index = this.#indexOf(
          blend({ ...color, a: (color.a * share) / FULL }, this.colors[below]!),
        );
        mixed[place] = index;
      }
      return index;
    };
  }

  #indexOf(color: Color): number {
    const { r, g, b, a } = color;
    const name = `${r},${g},${b},${a}`;
    const existing = this.#indexes.get(name);
    if (existing !== undefined) return existing;
    this.#indexes.set(name, this.colors.length);
    return this.colors.push(color) - 1;
  }
}

/** Mixes a color with one below that may be translucent too, in steps of 1/255. */
function blend(top: Color, below: Color): Color {
  const rest = below.a * (1 - top.a);
  const a = top.a + rest;
  const part = (one: number, other: number) => Math.round((one * top.a + other * rest) / a);
  return {
    r: part(top.r, below.r),
    g: part(top.g, below.g),
    b: part(top.b, below.b),
    a: Math.round(a * 255) / 255,
  };
}
