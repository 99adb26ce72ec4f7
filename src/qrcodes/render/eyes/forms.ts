import { allCorners, type Corners, cutRectangle, roundRectangle } from '../geometry.ts';

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
  (modules: number, tension?: number): EyeForm =>
  (x, y, side, px) =>
    roundRectangle(x, y, side, side, allCorners(Math.min(modules * px, side / 2)), tension);

/** All corners round but the one that points out of the code. */
const leaf: EyeForm = (x, y, side, _px, turn) => {
  const corners = [0, 1, 2, 3].map((corner) => (corner === turn ? 0 : side * 0.45));
  return roundRectangle(x, y, side, side, corners as unknown as Corners);
};

/** The rings: 7 modules wide, one thick. Each form is drawn twice, the hole 5 modules wide. */
export const OUTERS = {
  square: { ring: roundBy(0), hole: roundBy(0) },
  rounded: { ring: roundBy(1.75), hole: roundBy(0.9) },
  'extra-rounded': { ring: roundBy(2.6), hole: roundBy(1.65) },
  circle: { ring: roundBy(3.5), hole: roundBy(2.5) },
  leaf: { ring: leaf, hole: leaf },
  cushion: { ring: roundBy(3.5, 0.85), hole: roundBy(2.5, 0.85) },
} satisfies Record<string, { ring: EyeForm; hole: EyeForm }>;

/** The cores: 3 modules wide. */
export const INNERS = {
  square: roundBy(0),
  rounded: roundBy(0.7),
  dot: roundBy(1.5),
  leaf,
  diamond: (x, y, side, px) => cutRectangle(x, y, side, side, allCorners(px * 0.9)),
  cushion: roundBy(1.5, 0.85),
} satisfies Record<string, EyeForm>;
