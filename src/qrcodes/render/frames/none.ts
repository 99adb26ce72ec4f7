import { rectangle } from '../geometry.ts';
import type { FrameForm } from './frame.ts';

/** No frame. */
export const none: FrameForm = {
  hasLabel: false,
  layout: ({ size }) => ({
    code: { x: 0, y: 0, width: size, height: size },
    height: size,
    ground: rectangle(0, 0, size, size),
    shapes: [],
  }),
};
