import { allCorners, polygon, roundRectangle } from '../geometry.ts';
import { borderAround } from './border.ts';
import { type FrameForm, label, labelHeight, thickness } from './frame.ts';

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
    const bubbleHeight = Math.round(labelHeight(size) * 0.9);
    const tip = Math.round(size * 0.035);
    const top = size + gap;
    return {
      ...around,
      height: top + bubbleHeight,
      shapes: [
        outline,
        {
          path:
            roundRectangle(0, top, size, bubbleHeight, allCorners(bubbleHeight * 0.3)) +
            polygon([
              [size / 2 - tip * 1.2, top + 1],
              [size / 2, top - tip],
              [size / 2 + tip * 1.2, top + 1],
            ]),
          fill: frameColor,
        },
        label(design, { x: 0, y: top, width: size, height: bubbleHeight }),
      ],
    };
  },
};
