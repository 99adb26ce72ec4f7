import {
  allCorners,
  circle,
  cutRectangle,
  polygon,
  roundPolygon,
  roundRectangle,
} from '../geometry.ts';

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

/** Corners of a square from the outer corner of the code, clockwise. */
type Turned = readonly [outer: number, next: number, inner: number, last: number];

/** Rounds the corners by their position in the code, in modules. */
const turnedBy =
  (radii: Turned): EyeForm =>
  (x, y, side, px, turn) => {
    const radius = (corner: number) => Math.min(radii[(corner - turn + 4) % 4]! * px, side / 2);
    return roundRectangle(x, y, side, side, [radius(0), radius(1), radius(2), radius(3)]);
  };

/** Rounds the two lower corners, in modules. */
const shieldBy =
  (modules: number): EyeForm =>
  (x, y, side, px) => {
    const radius = Math.min(modules * px, side / 2);
    return roundRectangle(x, y, side, side, [0, 0, radius, radius]);
  };

/** Cuts a square step of some modules out of each corner. */
const notchedBy =
  (modules: number): EyeForm =>
  (x, y, side, px) => {
    const [near, far, end] = [modules * px, side - modules * px, side];
    return polygon(
      [
        [near, 0],
        [far, 0],
        [far, near],
        [end, near],
        [end, far],
        [far, far],
        [far, end],
        [near, end],
        [near, far],
        [0, far],
        [0, near],
        [near, near],
      ].map(([u = 0, v = 0]) => [x + u, y + v] as const),
    );
  };

/** Four petals around the center. */
const flower: EyeForm = (x, y, side) => {
  const radius = side * 0.3;
  const places = [radius, side - radius];
  const petals = places.flatMap((u) => places.map((v) => circle(x + u, y + v, radius)));
  return petals.join('') + circle(x + side / 2, y + side / 2, radius);
};

/**
 * A square that is turned by 45°, as wide as the core of a square eye along the diagonals. Its
 * rounded tips reach into the hole, so that its ink is that of other cores: ZBar misses smaller ones
 * in rotated codes.
 */
const diamond: EyeForm = (x, y, side, px) => {
  const [cx, cy] = [x + side / 2, y + side / 2];
  const reach = side * Math.SQRT1_2;
  const round = 0.8 * px;
  return roundPolygon([
    [cx, cy - reach, round],
    [cx + reach, cy, round],
    [cx, cy + reach, round],
    [cx - reach, cy, round],
  ]);
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
  notched: { ring: notchedBy(0.7), hole: notchedBy(0.5) },
  soft: { ring: roundBy(0.8), hole: roundBy(0.3) },
  shield: { ring: shieldBy(1.8), hole: shieldBy(1.1) },
  almond: { ring: turnedBy([0, 1.7, 0, 1.7]), hole: turnedBy([0, 1, 0, 1]) },
  pointed: { ring: turnedBy([1.5, 1.5, 0, 1.5]), hole: turnedBy([1, 1, 0, 1]) },
} satisfies Record<string, { ring: EyeForm; hole: EyeForm }>;

/** Cores, 3 modules wide. */
export const INNERS = {
  square: roundBy(0),
  rounded: roundBy(0.7),
  dot: roundBy(1.5),
  leaf: leafBy(0.8),
  diamond,
  octagon: cutBy(0.5),
  drop: turnedBy([1.3, 1.3, 0, 1.3]),
  petal: turnedBy([0, 1, 0, 1]),
  cross: notchedBy(0.35),
  flower,
  shield: shieldBy(1.1),
} satisfies Record<string, EyeForm>;
