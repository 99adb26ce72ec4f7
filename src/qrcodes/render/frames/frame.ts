import type { Design } from '../design.ts';
import type { Box, FrameLayout, Shape } from '../drawing-types.ts';
import { setLine } from '../text.ts';

/** A frame around a code. */
export interface FrameForm {
  /** True if the frame shows a text. */
  hasLabel: boolean;
  layout(design: Design): FrameLayout;
}

/** Text of a label if the owner gave none. */
const DEFAULT_LABEL = 'SCAN ME';

/** The text of a frame's label. */
export const labelOf = ({ frameText }: Pick<Design, 'frameText'>): string =>
  frameText === '' ? DEFAULT_LABEL : frameText;

/** Share of a label's box that its text may fill. */
const FILL = { width: 0.88, height: 0.46 };

/** Draws the text of a design in the middle of a box, reduced in size if it would not fit. */
export function label(design: Design, box: Box): Shape {
  const { frameTextStyles: styles, frameTextColor: fill } = design;
  const line = setLine(labelOf(design), styles);
  const fitting = Math.min(
    (box.width * FILL.width) / Math.max(line.width, 0.1),
    (box.height * 0.8) / line.capHeight,
  );
  const size = Math.min(fitting, styles.size ?? (box.height * FILL.height) / line.capHeight);
  const x = box.x + (box.width - line.width * size) / 2;
  const y = box.y + (box.height + line.capHeight * size) / 2;
  return { path: line.path(x, y, size), fill };
}

/** Thickness of a border for a picture of this width, in px. */
export const thickness = (size: number): number => Math.max(2, Math.round(size * 0.022));

/** Height of a label for a picture of this width, in px. */
export const labelHeight = (size: number): number => Math.round(size * 0.19);
