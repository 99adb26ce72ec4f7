import { allCorners, roundPolygon, roundRectangle } from '../geometry.ts';
import { borderAround } from './border.ts';
import { type FrameForm, thickness } from './frame.ts';
import { label, labelHeight } from './label-text.ts';

/** A rounded border, with a speech bubble under it that points at the code. */
export const bubble: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const border = thickness(size);
    const radius = Math.round(size * 0.07);
    const sizes = { size, height: size, line: border, top: border, radius, hole: radius - border };
    const { border: outline, ...around } = borderAround(sizes, frameColor);
    const gap = Math.round(size * 0.05);
    const height = labelHeight(design, size, 0.9);
    const tip = Math.round(size * 0.035);
    const top = size + gap;
    const box = { x: 0, y: top, width: size, height };
    return {
      ...around,
      height: top + height,
      shapes: [
        outline,
        {
          path:
            roundRectangle(0, top, size, height, allCorners(Math.round(size * 0.05))) +
            roundPolygon([
              [size / 2 - tip * 1.3, top + 1],
              [size / 2, top - tip, tip * 0.3],
              [size / 2 + tip * 1.3, top + 1],
            ]),
          fill: frameColor,
        },
        ...label(design, box),
      ],
    };
  },
};

/** A speech bubble around code and label, whose tail points down. */
const speech = (side: 'left' | 'right'): FrameForm => ({
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const line = thickness(size);
    const band = labelHeight(design, size);
    const radius = Math.round(size * 0.1);
    const bottom = size - line + band;
    const sizes = { size, height: bottom, line, top: line, radius, hole: Math.round(size * 0.06) };
    const { code, ground, border } = borderAround(sizes, frameColor);
    const tail = Math.round(size * 0.1);
    const x = (value: number) => (side === 'left' ? value : size - value);
    return {
      code,
      height: bottom + tail,
      ground,
      shapes: [
        border,
        {
          path: roundPolygon([
            [x(size * 0.16), bottom - line],
            [x(size * 0.13), bottom + tail, size * 0.014],
            [x(size * 0.33), bottom - line],
          ]),
          fill: frameColor,
        },
        ...label(design, { x: 0, y: bottom - band, width: size, height: band }),
      ],
    };
  },
});

/** A speech bubble whose tail is on the left. */
export const bubbleLeft = speech('left');

/** A speech bubble whose tail is on the right. */
export const bubbleRight = speech('right');
