import { allCorners, polygon, roundRectangle } from '../geometry.ts';
import { groundInside, insetOf } from './border.ts';
import { type FrameForm, label, labelHeight, thickness } from './frame.ts';

/** A rounded border, with a speech bubble under it that points at the code. */
export const bubble: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const border = thickness(size);
    const radius = Math.round(size * 0.07);
    const inset = border + insetOf(radius - border);
    const inner = size - 2 * border;
    const gap = Math.round(size * 0.05);
    const bubbleHeight = Math.round(labelHeight(size) * 0.9);
    const tip = Math.round(size * 0.035);
    const top = size + gap;
    return {
      code: { x: inset, y: inset, width: size - 2 * inset, height: size - 2 * inset },
      height: top + bubbleHeight,
      ground: groundInside(size, size, border, radius),
      shapes: [
        {
          path:
            roundRectangle(0, 0, size, size, allCorners(radius)) +
            roundRectangle(border, border, inner, inner, allCorners(radius - border)),
          fill: frameColor,
          evenOdd: true,
        },
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
