import { allCorners, cutRectangle, roundRectangle } from '../geometry.ts';

/**
 * Draws one part of an eye as path data.
 *
 * @param side length of its square, in px
 * @param px px per module
 * @param turn corner of the code: 0 top left, 1 top right, 3 bottom left (2 has no eye)
 */
export type EyeForm = (x: number, y: number, side: number, px: number, turn: number) => string;

/** Rounds the corners by a number of modules, at most half the side. */
const roundBy =
  (modules: number): EyeForm =>
  (x, y, side, px) =>
    roundRectangle(x, y, side, side, allCorners(Math.min(modules * px, side / 2)));

/** Cuts the corners off by a number of modules. */
const cutBy =
  (modules: number): EyeForm =>
  (x, y, side, px) =>
    cutRectangle(x, y, side, side, allCorners(modules * px));

/** Rounds all corners except the outer one of the code. */
const leafBy =
  (modules: number): EyeForm =>
  (x, y, side, px, turn) => {
    const radius = (corner: number) => (corner === turn ? 0 : modules * px);
    return roundRectangle(x, y, side, side, [radius(0), radius(1), radius(2), radius(3)]);
  };

/*
 * Decoding decided how round an eye may be: ZBar fits straight lines to the edges of a ring, and
 * fails on larger codes with circular rings.
 */

/** Rings, 7 modules wide and 1 thick. Each form is drawn twice, with a hole 5 modules wide. */
export const OUTERS = {
  square: { ring: roundBy(0), hole: roundBy(0) },
  rounded: { ring: roundBy(1.75), hole: roundBy(0.9) },
  'extra-rounded': { ring: roundBy(2.2), hole: roundBy(1.3) },
  leaf: { ring: leafBy(1.5), hole: leafBy(1) },
  octagon: { ring: cutBy(1), hole: cutBy(0.5) },
} satisfies Record<string, { ring: EyeForm; hole: EyeForm }>;

/** Cores, 3 modules wide. */
export const INNERS = {
  square: roundBy(0),
  rounded: roundBy(0.7),
  dot: roundBy(1.5),
  leaf: leafBy(0.8),
  diamond: cutBy(0.9),
} satisfies Record<string, EyeForm>;
