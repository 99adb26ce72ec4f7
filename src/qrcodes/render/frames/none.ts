import { rectangle } from '../geometry.ts';
import type { FrameForm } from './frame.ts';

/** Nothing around the code. */
export const none: FrameForm = {
  hasLabel: false,
  layout: ({ size }) => ({
    code: { x: 0, y: 0, width: size, height: size },
    height: size,
    ground: rectangle(0, 0, size, size),
    shapes: [],
  }),
};
