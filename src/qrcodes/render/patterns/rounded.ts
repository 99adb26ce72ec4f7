import { allCorners, roundRectangle } from '../geometry.ts';
import { type DrawModules, eachRun, radii } from './pattern.ts';

const roundedBy = (share: number): DrawModules =>
  eachRun(({ x, y, width, height }, free, px) =>
    roundRectangle(x, y, width, height, radii(free, allCorners(px * share))),
  );

/** Modules that flow into each other, their free corners a little round. */
export const rounded = roundedBy(0.3);

/** The same with free ends that are half circles. */
export const extraRounded = roundedBy(0.46);
