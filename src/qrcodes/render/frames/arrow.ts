import {
  allCorners,
  type Curve,
  rectangle,
  roundRectangle,
  stroke,
  strokeAlong,
} from '../geometry.ts';
import type { FrameForm } from './frame.ts';
import { label, labelHeight } from './label-text.ts';
import { squareAt } from './panel.ts';

/** A label under the code, from which a curved arrow points at it. */
export const arrow: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const s = (share: number) => share * size;
    const top = size + Math.round(s(0.06));
    const width = Math.round(s(0.76));
    const height = labelHeight(design, width, 0.86);
    const middle = top + height / 2;
    const tip: [number, number] = [s(0.915), size + s(0.02)];
    const line = s(0.026);
    const shaft: Curve = [
      [width - 1, middle],
      [s(0.87), middle + s(0.015)],
      [s(0.915), middle - s(0.02)],
      [tip[0], tip[1] + line / 2],
    ];
    const corner = allCorners(Math.min(height / 2, Math.round(s(0.08))));
    return {
      code: squareAt(0, 0, size),
      height: top + height,
      ground: rectangle(0, 0, size, size),
      shapes: [
        { path: roundRectangle(0, top, width, height, corner), fill: frameColor },
        { path: strokeAlong(shaft, line), fill: frameColor },
        ...[-1, 1].map((side) => ({
          path: stroke(tip, [tip[0] + side * s(0.048), tip[1] + s(0.055)], line),
          fill: frameColor,
        })),
        ...label(design, { x: 0, y: top, width, height }),
      ],
    };
  },
};
