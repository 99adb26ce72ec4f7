import { polygon, rectangle } from '../geometry.ts';
import { type FrameForm, label, labelHeight } from './frame.ts';

/** A ribbon with notched ends under the code. */
export const ribbon: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const height = Math.round(labelHeight(size) * 0.85);
    const notch = Math.round(height * 0.4);
    const bottom = size + height;
    return {
      code: { x: 0, y: 0, width: size, height: size },
      height: bottom,
      ground: rectangle(0, 0, size, size),
      shapes: [
        {
          path: polygon([
            [0, size],
            [size, size],
            [size - notch, size + height / 2],
            [size, bottom],
            [0, bottom],
            [notch, size + height / 2],
          ]),
          fill: frameColor,
        },
        label(design, { x: notch, y: size, width: size - 2 * notch, height }),
      ],
    };
  },
};
