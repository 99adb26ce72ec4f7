import type { Box, FrameLayout, Shape } from '../drawing-types.ts';
import { allCorners, roundRectangle } from '../geometry.ts';

/**
 * Inset of a square in a rounded rectangle that keeps its corners whole: the share of the radius
 * that the curve takes on the diagonal.
 */
export const insetOf = (radius: number): number => Math.ceil(radius * (1 - Math.SQRT1_2));

/** A square window with round corners for the code, in px. */
export interface Panel {
  x: number;
  y: number;
  side: number;
  radius: number;
}

/**
 * Cuts a panel out of a solid. Returns the solid, the square for the code in the panel, and the
 * background, which ends under the solid so that it does not show outside.
 */
export function panelIn(
  outline: string,
  { x, y, side, radius }: Panel,
  fill: string,
): Pick<FrameLayout, 'code' | 'ground'> & { solid: Shape } {
  const inset = insetOf(radius);
  return {
    code: squareAt(x + inset, y + inset, side - 2 * inset),
    ground: roundRectangle(x - 1, y - 1, side + 2, side + 2, allCorners(radius)),
    solid: {
      path: outline + roundRectangle(x, y, side, side, allCorners(radius)),
      fill,
      evenOdd: true,
    },
  };
}

export const squareAt = (x: number, y: number, side: number): Box => ({
  x,
  y,
  width: side,
  height: side,
});
