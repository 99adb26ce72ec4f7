import type { Design } from '../design.ts';
import type { FrameLayout } from '../drawing-types.ts';
import { rectangle } from '../geometry.ts';
import { arrow } from './arrow.ts';
import { bannerBottom, bannerTop, ribbon } from './banners.ts';
import { line, rounded } from './border.ts';
import { bubble, bubbleLeft, bubbleRight } from './bubble.ts';
import { card, clipboard, polaroid, tag, ticket } from './cards.ts';
import { corners, cornersLabel } from './corners.ts';
import { disc } from './disc.ts';
import type { FrameForm } from './frame.ts';
import { labelBottom, labelTop } from './label.ts';
import type { Frame } from './names.ts';
import { bag, browserWindow, cup, phone } from './objects.ts';
import { badge, circular, sticker } from './round.ts';

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

/** All frames. A new one is a form, a line here, and its name. */
export const FRAMES = {
  none,
  line,
  rounded,
  circle: circular,
  corners,
  'corners-label': cornersLabel,
  'label-bottom': labelBottom,
  'label-top': labelTop,
  card,
  polaroid,
  'banner-bottom': bannerBottom,
  'banner-top': bannerTop,
  ribbon,
  bubble,
  'bubble-left': bubbleLeft,
  'bubble-right': bubbleRight,
  arrow,
  badge,
  sticker,
  ticket,
  tag,
  clipboard,
  window: browserWindow,
  phone,
  bag,
  cup,
  disc,
} satisfies Record<Frame, FrameForm>;

/** Returns the layout of a design's frame. */
export function layoutFrame(design: Design): FrameLayout {
  return FRAMES[design.frame].layout(design);
}
