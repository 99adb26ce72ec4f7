import { roundRectangle } from '../geometry.ts';
import { eachRun, radii } from './pattern.ts';

/** Runs with one pair of opposite corners rounded, like leaves. */
export const classy = eachRun(({ x, y, width, height }, free, px) =>
  roundRectangle(x, y, width, height, radii(free, [px / 2, 0, px / 2, 0])),
);

/** Runs like leaves, with the other pair of corners slightly rounded. */
export const classyRounded = eachRun(({ x, y, width, height }, free, px) =>
  roundRectangle(x, y, width, height, radii(free, [px / 2, px / 5, px / 2, px / 5])),
);
