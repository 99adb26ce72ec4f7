import type { Design } from '../design.ts';
import type { Box, Shape } from '../drawing-types.ts';
import { allCorners, polygon, rectangle, roundPolygon, roundRectangle } from '../geometry.ts';
import type { FrameForm } from './frame.ts';
import { label, labelHeight } from './label-text.ts';
import { squareAt } from './panel.ts';
import { foldShade, tailShade } from './shade.ts';

/** A bar across the picture that points at the code. */
const banner = (side: 'top' | 'bottom'): FrameForm => ({
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const bar = labelHeight(design, size);
    const tip = Math.round(size * 0.045);
    const isTop = side === 'top';
    const height = size + tip + bar;
    const barTop = isTop ? 0 : size + tip;
    const [base, point] = isTop ? [bar - 1, bar + tip] : [barTop + 1, size];
    // Clockwise as the bar is: where it overlaps the bar, it would cut a hole otherwise.
    const half = (isTop ? -1.5 : 1.5) * tip;
    return {
      code: squareAt(0, isTop ? bar + tip : 0, size),
      height,
      ground: rectangle(0, isTop ? bar / 2 : 0, size, height - bar / 2),
      shapes: [
        {
          path:
            roundRectangle(0, barTop, size, bar, allCorners(0)) +
            roundPolygon([
              [size / 2 - half, base],
              [size / 2, point, tip * 0.2],
              [size / 2 + half, base],
            ]),
          fill: frameColor,
        },
        ...label(design, { x: 0, y: barTop, width: size, height: bar }, { isCodeBelow: isTop }),
      ],
    };
  },
});

/** A bar under the code. */
export const bannerBottom = banner('bottom');

/** A bar above the code. */
export const bannerTop = banner('top');

/** A ribbon under the code, whose notched ends are folded back. */
export const ribbon: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size } = design;
    const inset = Math.round(size * 0.1);
    const width = size - 2 * inset;
    const band = labelHeight(design, width, 0.88);
    const box = { x: inset, y: size, width, height: band };
    return {
      code: squareAt(0, 0, size),
      height: size + band + Math.round(size * 0.045),
      ground: rectangle(0, 0, size, size),
      shapes: [...ribbonShapes(design, box, Math.round(size * 0.045)), ...label(design, box)],
    };
  },
};

/**
 * A band in front of its ends, which are folded back and end in a notch.
 *
 * @param drop distance by which the ends are lower than the band, in px
 */
function ribbonShapes({ size, frameColor }: Design, front: Box, drop: number): Shape[] {
  const { x: inset, y: top, width, height } = front;
  const [bottom, end] = [top + height, top + height + drop];
  const fold = Math.round(size * 0.055);
  const notch = Math.round(size * 0.06);
  const middle = (top + drop + end) / 2;
  const mirrored = (points: [number, number][]) => [
    polygon(points),
    polygon(points.map(([x, y]) => [size - x, y])),
  ];
  const tails = mirrored([
    [0, top + drop],
    [inset + fold, top + drop],
    [inset + fold, end],
    [0, end],
    [notch, middle],
  ]);
  const folds = mirrored([
    [inset, bottom - 0.5],
    [inset + fold, bottom - 0.5],
    [inset + fold, end],
  ]);
  return [
    { path: tails.join(''), fill: tailShade(frameColor) },
    { path: folds.join(''), fill: foldShade(frameColor) },
    { path: rectangle(inset, top, width, height), fill: frameColor },
  ];
}
