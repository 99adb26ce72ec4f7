import type { Box, Shape } from '../drawing-types.ts';
import { allCorners, roundRectangle } from '../geometry.ts';
import { type FrameForm, thickness } from './frame.ts';
import { insetOf } from './panel.ts';

/**
 * Background inside a rounded border. It ends under the middle of the line, so that it does not
 * show outside.
 */
const groundInside = (width: number, height: number, line: number, radius: number): string =>
  roundRectangle(
    line / 2,
    line / 2,
    width - line,
    height - line,
    allCorners(Math.max(0, radius - line / 2)),
  );

/**
 * Draws a rounded border around a square hole. Returns the border, the square for the code in the
 * hole, and the background.
 *
 * @param line thickness, in px; `top` for the upper side
 * @param hole radius of the inner corners, in px; `radius` of the outer ones
 */
export function borderAround(
  {
    size,
    height,
    line,
    top,
    radius,
    hole,
  }: Record<'size' | 'height' | 'line' | 'top' | 'radius' | 'hole', number>,
  fill: string,
): { code: Box; ground: string; border: Shape } {
  const inset = line + insetOf(hole);
  const inner = size - 2 * line;
  return {
    code: { x: inset, y: inset + top - line, width: size - 2 * inset, height: size - 2 * inset },
    ground: groundInside(size, height, line, radius),
    border: {
      path:
        roundRectangle(0, 0, size, height, allCorners(radius)) +
        roundRectangle(line, top, inner, inner, allCorners(hole)),
      fill,
      evenOdd: true,
    },
  };
}

const form = (radiusShare: number): FrameForm => ({
  hasLabel: false,
  layout({ size, frameColor }) {
    const line = thickness(size);
    const radius = Math.round(size * radiusShare);
    const hole = Math.max(0, radius - line);
    const sizes = { size, height: size, line, top: line, radius, hole };
    const { code, ground, border } = borderAround(sizes, frameColor);
    return { code, height: size, ground, shapes: [border] };
  },
});

/** A line around the code. */
export const line = form(0);

/** A line with rounded corners around the code. */
export const rounded = form(0.09);
