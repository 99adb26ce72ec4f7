import type { Corners } from '../geometry.ts';

/** The modules that a pattern draws, which are all except the eyes. */
export interface ModuleGrid {
  /** Modules per side. */
  size: number;
  /** Whole px per module. */
  px: number;
  /** Left and top edge of the first module, in px of the picture. */
  x0: number;
  y0: number;
  /** False outside the code, for the eyes, and for modules that an image has cleared. */
  isDark(row: number, column: number): boolean;
}

/** Draws the modules as path data. */
export type DrawModules = (grid: ModuleGrid) => string;

/** Draws each dark module on its own; `x` and `y` are its corner in px. */
export const eachModule =
  (draw: (x: number, y: number, px: number) => string): DrawModules =>
  ({ size, px, x0, y0, isDark }) => {
    let path = '';
    for (let row = 0; row < size; row += 1) {
      for (let column = 0; column < size; column += 1) {
        if (isDark(row, column)) path += draw(x0 + column * px, y0 + row * px, px);
      }
    }
    return path;
  };

/**
 * Draws each run of dark modules in a row as one shape. Only its two ends are shaped, so that no
 * seam shows between its modules.
 *
 * @param form draws a run; the flags mark free corners, with no adjacent module at the side or
 *   above or below (top left, top right, bottom right, bottom left)
 */
export const eachRun =
  (
    form: (
      box: { x: number; y: number; width: number; height: number },
      free: readonly [boolean, boolean, boolean, boolean],
      px: number,
    ) => string,
  ): DrawModules =>
  ({ size, px, x0, y0, isDark }) => {
    let path = '';
    for (let row = 0; row < size; row += 1) {
      for (let first = 0; first < size; first += 1) {
        if (!isDark(row, first)) continue;
        let last = first;
        while (isDark(row, last + 1)) last += 1;
        const box = {
          x: x0 + first * px,
          y: y0 + row * px,
          width: (last - first + 1) * px,
          height: px,
        };
        const free = [
          !isDark(row - 1, first),
          !isDark(row - 1, last),
          !isDark(row + 1, last),
          !isDark(row + 1, first),
        ] as const;
        path += form(box, free, px);
        first = last;
      }
    }
    return path;
  };

/** Radii for the corners of a run: the given one for each free corner, 0 for the others. */
export const radii = (
  free: readonly [boolean, boolean, boolean, boolean],
  [tl, tr, br, bl]: Corners,
): Corners => [free[0] ? tl : 0, free[1] ? tr : 0, free[2] ? br : 0, free[3] ? bl : 0];
