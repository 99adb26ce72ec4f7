import { circle } from '../geometry.ts';
import type { FrameForm } from './frame.ts';

/**
 * A disc that touches the corners of the code's quiet zone, filled around it with modules that mean
 * nothing.
 */
export const disc: FrameForm = {
  hasLabel: false,
  layout({ size }) {
    const radius = size / 2;
    const side = Math.floor(size * Math.SQRT1_2);
    const edge = Math.floor((size - side) / 2);
    return {
      code: { x: edge, y: edge, width: side, height: side },
      height: size,
      ground: circle(radius, radius, radius),
      shapes: [],
      disc: { x: radius, y: radius, radius },
    };
  },
};
