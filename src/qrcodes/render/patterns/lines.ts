import { allCorners, roundRectangle } from '../geometry.ts';
import { type DrawModules, eachRun } from './pattern.ts';

/** Width of a line, as a share of a module. */
const WIDTH = 0.8;

/** Lines with round ends for the runs of each row. */
export const horizontalLines: DrawModules = eachRun(({ x, y, width, height }, _free, px) => {
  const thickness = height * WIDTH;
  return roundRectangle(x, y + (px - thickness) / 2, width, thickness, allCorners(thickness / 2));
});

/** Lines with round ends for the runs of each column. */
export const verticalLines: DrawModules = ({ size, px, x0, y0, isDark }) => {
  const thickness = px * WIDTH;
  let path = '';
  for (let column = 0; column < size; column += 1) {
    for (let first = 0; first < size; first += 1) {
      if (!isDark(first, column)) continue;
      let last = first;
      while (isDark(last + 1, column)) last += 1;
      path += roundRectangle(
        x0 + column * px + (px - thickness) / 2,
        y0 + first * px,
        thickness,
        (last - first + 1) * px,
        allCorners(thickness / 2),
      );
      first = last;
    }
  }
  return path;
};
