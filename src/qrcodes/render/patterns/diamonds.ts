import { allCorners, cutRectangle } from '../geometry.ts';
import { eachRun, radii } from './pattern.ts';

/** Cuts free corners off. Single modules become diamonds with two thirds of the ink. */
export const diamonds = eachRun(({ x, y, width, height }, free, px) =>
  cutRectangle(x, y, width, height, radii(free, allCorners(px * 0.4))),
);
