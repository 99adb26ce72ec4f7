import { polygon, rectangle } from '../geometry.ts';
import { type FrameForm, thickness } from './frame.ts';

/** The corners of a viewfinder. */
export const corners: FrameForm = {
  hasLabel: false,
  layout({ size, frameColor }) {
    const line = Math.round(thickness(size) * 1.4);
    const arm = Math.round(size * 0.16);
    // One bracket, rotated into each corner.
    const bracket: [number, number][] = [
      [0, 0],
      [arm, 0],
      [arm, line],
      [line, line],
      [line, arm],
      [0, arm],
    ];
    const turned = [0, 1, 2, 3].map((corner) =>
      polygon(
        bracket.map(([x, y]) => [corner % 2 === 0 ? x : size - x, corner < 2 ? y : size - y]),
      ),
    );
    return {
      code: { x: line, y: line, width: size - 2 * line, height: size - 2 * line },
      height: size,
      ground: rectangle(0, 0, size, size),
      shapes: [{ path: turned.join(''), fill: frameColor }],
    };
  },
};
