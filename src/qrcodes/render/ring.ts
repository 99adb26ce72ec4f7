import type { Disc } from './drawing-types.ts';
import type { ModuleGrid } from './patterns/pattern.ts';

/** Distance of the modules from the edge of the disc, as a share of a module. */
const RIM = 0.6;

/** Adds modules around a code and its quiet zone, as far as they lie in a disc. */
export function withRing(grid: ModuleGrid, disc: Disc, margin: number): ModuleGrid {
  const { px, size } = grid;
  if (px === 0) return grid;
  const extra = Math.floor((disc.radius - (size * px) / 2) / px);
  const radius = disc.radius - RIM * px;
  const isInside = (row: number, column: number): boolean => {
    const far = (first: number, at: number, middle: number) =>
      Math.max(Math.abs(first + at * px - middle), Math.abs(first + (at + 1) * px - middle));
    return Math.hypot(far(grid.x0, column, disc.x), far(grid.y0, row, disc.y)) <= radius;
  };
  const isQuiet = (at: number): boolean => at >= -margin && at < size + margin;
  return {
    size: size + 2 * extra,
    px,
    x0: grid.x0 - extra * px,
    y0: grid.y0 - extra * px,
    isDark(fromTop, fromLeft) {
      const [row, column] = [fromTop - extra, fromLeft - extra];
      if (isQuiet(row) && isQuiet(column)) return grid.isDark(row, column);
      return isInside(row, column) && isNoise(row, column);
    },
  };
}

/** Half of all places, in no order, and always the same ones. */
function isNoise(row: number, column: number): boolean {
  let mixed = Math.imul(row, 0x9e3779b1) ^ Math.imul(column, 0x85ebca77);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) & 1) === 1;
}
