import type { Gradient } from '../../images/vector/types.ts';
import type { Color } from './color.ts';
import { FULL } from './coverage.ts';
import { colorsOf } from './shader.ts';

/** Number of colors that an indexed PNG may have (PNG, 11.2.2). */
export const MOST_COLORS = 256;

/** Maximum number of colors of gradients, which leaves some for the px at their edges. */
export const MOST_OF_GRADIENTS = 130;

/**
 * Steps between the levels of px at the edges of gradients, out of 255: half a step of a share, and
 * a whole one if gradients have many colors.
 */
const EDGE_STEPS = { few: 8, many: 16 };
/** Number of colors of gradients that are many. */
const MANY = 100;
/** Maximum difference of such a px from a color that takes its place in a full palette. */
const EDGE_MOST = 24;

/** Entries of the table of mixtures with gradients, and bits of a number that are not its index. */
const ENTRIES = 8_192;
const OTHER_BITS = 19;

/** Returns the index of a color that covers a share of another one. */
export type Mixer = (below: number, share: number) => number;

/** The colors of a picture, of which the first is transparent. */
export class Palette {
  readonly colors: Color[] = [];
  readonly #indexes = new Map<string, number>();

  /** The index of the color at each step of each gradient. */
  readonly #steps = new Map<Gradient, Uint8Array>();
  /** Mixtures that were computed last, by the color below, the color of the gradient and share. */
  readonly #mixtures = new Int32Array(ENTRIES).fill(-1);
  readonly #mixed = new Uint8Array(ENTRIES);
  readonly #edgeStep: number;

  /** @param gradients those of the shapes, with at most `MOST_OF_GRADIENTS` colors */
  constructor(gradients: Iterable<Gradient>) {
    this.#indexOf({ r: 0, g: 0, b: 0, a: 0 });
    let before: Color | undefined;
    let index = 0;
    for (const gradient of gradients) {
      const indexes = colorsOf(gradient).map((color) => {
        if (color !== before) index = this.#indexOf((before = color));
        return index;
      });
      this.#steps.set(gradient, Uint8Array.from(indexes));
    }
    this.#edgeStep = this.colors.length > MANY ? EDGE_STEPS.many : EDGE_STEPS.few;
  }

  /** The index of the color at each step of a gradient. */
  stepsOf(gradient: Gradient): Uint8Array {
    return this.#steps.get(gradient)!;
  }

  /** Returns the index of a color of a gradient that covers a share of another one. */
  mix(below: number, own: number, share: number): number {
    const mixture = (below << 13) | (own << 5) | share;
    const place = Math.imul(mixture, 0x9e3779b1) >>> OTHER_BITS;
    if (this.#mixtures[place] !== mixture) {
      this.#mixtures[place] = mixture;
      const top = { ...this.colors[own]!, a: share / FULL };
      this.#mixed[place] = this.#nearIndexOf(blend(top, this.colors[below]!));
    }
    return this.#mixed[place]!;
  }

  #nearIndexOf({ r, g, b, a }: Color): number {
    const step = this.#edgeStep;
    const level = (part: number) => Math.min(255, Math.round(part / step) * step);
    const near = { r: level(r), g: level(g), b: level(b), a };
    if (this.colors.length < MOST_COLORS || this.#indexes.has(nameOf(near))) {
      return this.#indexOf(near);
    }
    // This palette is too large already.
    if (this.colors.length > MOST_COLORS) return 0;
    let nearest = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let index = 0; index < MOST_COLORS; index += 1) {
      const color = this.colors[index]!;
      const difference = Math.max(
        Math.abs(color.r - r),
        Math.abs(color.g - g),
        Math.abs(color.b - b),
        Math.abs(color.a - a) * 255,
      );
      if (difference < least) {
        nearest = index;
        least = difference;
      }
    }
    return least <= EDGE_MOST ? nearest : this.#indexOf(near);
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
    const name = nameOf(color);
    const existing = this.#indexes.get(name);
    if (existing !== undefined) return existing;
    this.#indexes.set(name, this.colors.length);
    return this.colors.push(color) - 1;
  }
}

const nameOf = ({ r, g, b, a }: Color): string => `${r},${g},${b},${a}`;

/** Mixes a color with one below that may be translucent too, in steps of 1/255. */
function blend(top: Color, below: Color): Color {
  const rest = below.a * (1 - top.a);
  const a = top.a + rest;
  if (a === 0) return below;
  const part = (one: number, other: number) => Math.round((one * top.a + other * rest) / a);
  return {
    r: part(top.r, below.r),
    g: part(top.g, below.g),
    b: part(top.b, below.b),
    a: Math.round(a * 255) / 255,
  };
}
