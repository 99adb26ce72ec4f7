import { allCorners, cutRectangle } from '../geometry.ts';
import { eachRun, radii } from './pattern.ts';

/** Free corners cut off: single modules are all but diamonds, and keep two thirds of their ink. */
export const diamonds = eachRun(({ x, y, width, height }, free, px) =>
  cutRectangle(x, y, width, height, radii(free, allCorners(px * 0.4))),
);
