import { roundRectangle } from '../geometry.ts';
import { eachRun, radii } from './pattern.ts';

/** Runs with one pair of opposite corners round, like leaves. */
export const classy = eachRun(({ x, y, width, height }, free, px) =>
  roundRectangle(x, y, width, height, radii(free, [px / 2, 0, px / 2, 0])),
);

/** The same, and the other pair a little round. */
export const classyRounded = eachRun(({ x, y, width, height }, free, px) =>
  roundRectangle(x, y, width, height, radii(free, [px / 2, px / 5, px / 2, px / 5])),
);
