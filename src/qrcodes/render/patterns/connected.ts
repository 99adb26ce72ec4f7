import { allCorners, curveTo, lineTo, moveTo, rectangle, roundRectangle } from '../geometry.ts';
import { type DrawModules, eachModule, eachRun, radii } from './pattern.ts';

/* Patterns that join neighboring modules. */

/** Plain modules, as in ISO/IEC 18004. */
export const squares = eachRun(({ x, y, width, height }) => rectangle(x, y, width, height));

const roundedBy = (share: number): DrawModules =>
  eachRun(({ x, y, width, height }, free, px) =>
    roundRectangle(x, y, width, height, radii(free, allCorners(px * share))),
  );

/** Connected modules with slightly rounded free corners. */
export const rounded = roundedBy(0.25);

/** Connected modules with semicircular free ends. */
export const extraRounded = roundedBy(0.5);

/** Runs with one pair of opposite corners rounded, like leaves. */
export const classy = eachRun(({ x, y, width, height }, free, px) =>
  roundRectangle(x, y, width, height, radii(free, [px / 2, 0, px / 2, 0])),
);

/** Runs like leaves, with the other pair of corners slightly rounded. */
export const classyRounded = eachRun(({ x, y, width, height }, free, px) =>
  roundRectangle(x, y, width, height, radii(free, [px / 2, px / 5, px / 2, px / 5])),
);

/** Radius of the concave corners of fluid modules, in modules. */
const FILLET = 0.32;

/** Extra-rounded modules whose inner corners are filled, like drops that run together. */
export const fluid: DrawModules = (grid) => extraRounded(grid) + fillets(grid);

/** Fills each corner of a light module between two dark ones and the dark one behind it. */
const fillets: DrawModules = (grid) => {
  const { isDark } = grid;
  return eachModule((x, y, px) => {
    const column = Math.round((x - grid.x0) / px);
    const row = Math.round((y - grid.y0) / px);
    let path = '';
    for (const [down, right] of [
      [-1, -1],
      [-1, 1],
      [1, 1],
      [1, -1],
    ] as const) {
      const isCorner =
        isDark(row + down, column) &&
        isDark(row, column + right) &&
        isDark(row + down, column + right);
      if (!isCorner) continue;
      const [cx, cy] = [right < 0 ? x : x + px, down < 0 ? y : y + px];
      const along = -right * FILLET * px;
      const across = -down * FILLET * px;
      const near = 0.45;
      path +=
        moveTo(cx, cy) +
        lineTo(cx + along, cy) +
        curveTo(cx + along * near, cy, cx, cy + across * near, cx, cy + across) +
        'Z';
    }
    return path;
  })({ ...grid, isDark: (row, column) => !isDark(row, column) });
};
