import { allCorners, roundRectangle } from '../geometry.ts';
import { type DrawModules, eachRun, radii } from './pattern.ts';

const roundedBy = (share: number): DrawModules =>
  eachRun(({ x, y, width, height }, free, px) =>
    roundRectangle(x, y, width, height, radii(free, allCorners(px * share))),
  );

/** Connected modules with slightly rounded free corners. */
export const rounded = roundedBy(0.3);

/** Connected modules with semicircular free ends. */
export const extraRounded = roundedBy(0.46);
