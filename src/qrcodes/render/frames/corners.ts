import { allCorners, roundPolygon, roundRectangle } from '../geometry.ts';
import { type FrameForm, thickness } from './frame.ts';
import { label, labelHeight } from './label-text.ts';
import { squareAt } from './panel.ts';

/** Brackets in the corners of a square, as wide as the picture, and the background in them. */
function brackets(size: number): { line: number; path: string; ground: string } {
  const line = Math.round(thickness(size) * 1.4);
  const arm = Math.round(size * 0.16);
  const round = line / 4;
  const bracket = [
    [0, 0, line],
    [arm, 0, round],
    [arm, line, round],
    [line, line],
    [line, arm, round],
    [0, arm, round],
  ] as const;
  // One bracket, mirrored into each corner.
  const all = [0, 1, 2, 3].map((corner) =>
    roundPolygon(
      bracket.map(([x, y, radius = 0]) => [
        corner % 2 === 0 ? x : size - x,
        corner < 2 ? y : size - y,
        radius,
      ]),
    ),
  );
  // Its corners end under the brackets, outside of which they would show.
  const ground = roundRectangle(0, 0, size, size, allCorners(line * 1.6));
  return { line, path: all.join(''), ground };
}

/** The corners of a viewfinder. */
export const corners: FrameForm = {
  hasLabel: false,
  layout({ size, frameColor }) {
    const { line, path, ground } = brackets(size);
    return {
      code: squareAt(line, line, size - 2 * line),
      height: size,
      ground,
      shapes: [{ path, fill: frameColor }],
    };
  },
};

/** The corners of a viewfinder, with a label under them. */
export const cornersLabel: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const { line, path, ground } = brackets(size);
    const top = size + Math.round(size * 0.045);
    const height = labelHeight(design, size, 0.88);
    const corner = allCorners(Math.min(height / 2, Math.round(size * 0.09)));
    return {
      code: squareAt(line, line, size - 2 * line),
      height: top + height,
      ground,
      shapes: [
        { path, fill: frameColor },
        { path: roundRectangle(0, top, size, height, corner), fill: frameColor },
        ...label(design, { x: 0, y: top, width: size, height }),
      ],
    };
  },
};
