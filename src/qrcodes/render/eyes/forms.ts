import { allCorners, cutRectangle, roundRectangle } from '../geometry.ts';

/**
 * Draws one part of an eye.
 *
 * @param side length of the square that it fills, in px
 * @param px px per module
 * @param turn which corner of the code the eye is in: 0 top left, 1 top right, 3 bottom left (2 has none)
 */
export type EyeForm = (x: number, y: number, side: number, px: number, turn: number) => string;

/** Round corners of so many modules; never more than half the side. */
const roundBy =
  (modules: number): EyeForm =>
  (x, y, side, px) =>
    roundRectangle(x, y, side, side, allCorners(Math.min(modules * px, side / 2)));

/** Corners cut off by so many modules. */
const cutBy =
  (modules: number): EyeForm =>
  (x, y, side, px) =>
    cutRectangle(x, y, side, side, allCorners(modules * px));

/** All corners round but the one that points out of the code. */
const leafBy =
  (modules: number): EyeForm =>
  (x, y, side, px, turn) => {
    const radius = (corner: number) => (corner === turn ? 0 : modules * px);
    return roundRectangle(x, y, side, side, [radius(0), radius(1), radius(2), radius(3)]);
  };

/*
 * The limit of the roundness of an eye was found by decoding: ZBar fits straight lines to the edges of a ring, and fails on
 * larger codes if a ring is a circle.
 */

/** The rings: 7 modules wide, one thick. Each form is drawn twice, the hole 5 modules wide. */
export const OUTERS = {
  square: { ring: roundBy(0), hole: roundBy(0) },
  rounded: { ring: roundBy(1.75), hole: roundBy(0.9) },
  'extra-rounded': { ring: roundBy(2.2), hole: roundBy(1.3) },
  leaf: { ring: leafBy(1.5), hole: leafBy(1) },
  octagon: { ring: cutBy(1), hole: cutBy(0.5) },
} satisfies Record<string, { ring: EyeForm; hole: EyeForm }>;

/** The cores: 3 modules wide. */
export const INNERS = {
  square: roundBy(0),
  rounded: roundBy(0.7),
  dot: roundBy(1.5),
  leaf: leafBy(0.8),
  diamond: cutBy(0.9),
} satisfies Record<string, EyeForm>;
