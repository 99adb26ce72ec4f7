import type { Design } from '../design.ts';
import type { FrameLayout } from '../drawing-types.ts';
import { rectangle } from '../geometry.ts';
import { line, rounded } from './border.ts';
import { bubble } from './bubble.ts';
import { circle } from './circle.ts';
import { corners } from './corners.ts';
import type { FrameForm } from './frame.ts';
import { labelBottom, labelTop } from './label.ts';
import type { Frame } from './names.ts';
import { ribbon } from './ribbon.ts';

/** No frame. */
const none: FrameForm = {
  hasLabel: false,
  layout: ({ size }) => ({
    code: { x: 0, y: 0, width: size, height: size },
    height: size,
    ground: rectangle(0, 0, size, size),
    shapes: [],
  }),
};

/** All frames. A new one is a file, a line here, and its name. */
export const FRAMES = {
  none,
  line,
  rounded,
  corners,
  'label-bottom': labelBottom,
  'label-top': labelTop,
  bubble,
  ribbon,
  circle,
} satisfies Record<Frame, FrameForm>;

/** Returns the layout of a design's frame. */
export function layoutFrame(design: Design): FrameLayout {
  return FRAMES[design.frame].layout(design);
}
