import { allCorners, roundRectangle } from '../geometry.ts';
import { type FrameForm, thickness } from './frame.ts';

/**
 * How far a square must stand inside a rectangle with round corners for its corners not to be cut off: the
 * diagonal's share of the radius that the curve takes.
 */
export const insetOf = (radius: number): number => Math.ceil(radius * (1 - Math.SQRT1_2));

const border = (radiusShare: number): FrameForm => ({
  hasLabel: false,
  layout({ size, frameColor }) {
    const line = thickness(size);
    const radius = Math.round(size * radiusShare);
    const hole = Math.max(0, radius - line);
    const inset = line + insetOf(hole);
    const inner = size - 2 * line;
    return {
      code: { x: inset, y: inset, width: size - 2 * inset, height: size - 2 * inset },
      height: size,
      shapes: [
        {
          path:
            roundRectangle(0, 0, size, size, allCorners(radius)) +
            roundRectangle(line, line, inner, inner, allCorners(hole)),
          fill: frameColor,
          evenOdd: true,
        },
      ],
    };
  },
});

/** A line around the code. */
export const line = border(0);

/** The same with round corners. */
export const rounded = border(0.09);
