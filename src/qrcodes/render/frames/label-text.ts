import type { Design } from '../design.ts';
import type { Box, Shape } from '../drawing-types.ts';
import { type Line, setLine } from '../text.ts';
import { drawIcon } from './icons.ts';
import { breaksOf } from './line-breaks.ts';

/** Text of a label if the owner gave none. */
const DEFAULT_LABEL = 'SCAN ME';

/** The text of a frame's label. */
export const labelOf = ({ frameText }: Pick<Design, 'frameText'>): string =>
  frameText === '' ? DEFAULT_LABEL : frameText;

/** Shares of a label's box that its text takes. */
const FILL = { width: 0.88, capitals: 0.46, oneLine: 0.64, twoLines: 0.66 };
/** Share of the height of a label's box that a text with a set size may take. */
const MAX_HEIGHT = 0.84;
/** Distance of baselines, as a share of the height of capitals, and least space between lines. */
const LEADING = { baselines: 1.62, space: 0.34 };
/** Sides of icons beside one and two lines, and their distance, as shares of the capitals. */
const ICON = { oneLine: 1.45, twoLines: 2.3, gap: 0.55 };
/** Height of a label, as a share of the picture's width, and its growth for a second line. */
const LABEL_HEIGHT = 0.19;
const SECOND_LINE = 1.42;
/** Gain in size for which a text is broken. */
const WORTH_A_BREAK = 1.15;

/** A text and its icon, set for a font size of 1 px. */
interface Block {
  lines: Line[];
  /** Distance of the two baselines. */
  step: number;
  width: number;
  height: number;
  /** Side of the icon, 0 without one, and the space that it takes. */
  icon: number;
  iconSpace: number;
}

/** A block and the font size at which it fits. */
interface Fit {
  block: Block;
  size: number;
}

function blockOf(texts: readonly string[], { frameTextStyles, frameIcon = 'none' }: Design): Block {
  const lines = texts.map((text) => setLine(text, frameTextStyles));
  const [first, second] = lines as [Line, Line?];
  const { capHeight } = first;
  const between = first.below + (second?.above ?? 0) + LEADING.space * capHeight;
  const step = second === undefined ? 0 : Math.max(LEADING.baselines * capHeight, between);
  const hasIcon = frameIcon !== 'none';
  const icon = hasIcon ? capHeight * (second === undefined ? ICON.oneLine : ICON.twoLines) : 0;
  const iconSpace = hasIcon ? icon + ICON.gap * capHeight : 0;
  return {
    lines,
    step,
    width: Math.max(...lines.map(({ width }) => width), 0.1) + iconSpace,
    height: Math.max(first.above + step + (second ?? first).below, 0.1),
    icon,
    iconSpace,
  };
}

function fit(block: Block, { frameTextStyles }: Design, { width, height }: Size): Fit {
  const widest = (width * FILL.width) / block.width;
  const { size } = frameTextStyles;
  if (size !== null) {
    return { block, size: Math.min(size, widest, (height * MAX_HEIGHT) / block.height) };
  }
  const share = block.lines.length === 1 ? FILL.oneLine : FILL.twoLines;
  const capitals = (height * FILL.capitals) / block.lines[0]!.capHeight;
  return { block, size: Math.min(widest, capitals, (height * share) / block.height) };
}

type Size = Pick<Box, 'width' | 'height'>;

/** Sets a text on one line, and on two if that makes it larger or the owner broke it. */
function fitsOf(design: Design, one: Size, two: Size): { best: Fit; isTall: boolean } {
  const text = labelOf(design);
  const [top, bottom] = text.split('\n') as [string, string?];
  if (bottom !== undefined) {
    return { best: fit(blockOf([top, bottom], design), design, two), isTall: true };
  }
  const plain = fit(blockOf([text], design), design, one);
  const broken = breaksOf(text)
    .map((texts) => fit(blockOf(texts, design), design, two))
    .toSorted((a, b) => b.size - a.size)[0];
  return broken !== undefined && broken.size > plain.size * WORTH_A_BREAK
    ? { best: broken, isTall: true }
    : { best: plain, isTall: false };
}

/**
 * Returns the height of a label in px, which is greater for a text of two lines.
 *
 * @param width of the label, in px
 * @param share height for one line, as a share of a label's usual height
 */
export function labelHeight(design: Design, width: number, share = 1): number {
  const height = design.size * LABEL_HEIGHT * share;
  const tall = { width, height: height * SECOND_LINE };
  const { best, isTall } = fitsOf(design, { width, height }, tall);
  if (!isTall) return Math.round(height);
  // Two lines that the width makes small need no more than one large line.
  const needed = Math.ceil((best.block.height * best.size) / FILL.twoLines);
  return Math.round(Math.min(tall.height, Math.max(height, needed)));
}

/** Position of a label; both are optional. */
interface Placement {
  /** True if an arrow to the code points down. */
  isCodeBelow?: boolean;
  /** Abscissa on which a text is centered that fits there; otherwise it moves within its box. */
  center?: number;
}

/** Draws the text and the icon of a design in the middle of a box. */
export function label(
  design: Design,
  box: Box,
  { isCodeBelow = false, center = box.x + box.width / 2 }: Placement = {},
): Shape[] {
  const { frameTextColor: fill, frameIcon = 'none' } = design;
  const { block, size } = fitsOf(design, box, box).best;
  const { lines, step, width, height, icon, iconSpace } = block;
  const side = (box.width * (1 - FILL.width)) / 2;
  const farthest = box.x + box.width - side - width * size;
  const left = Math.min(Math.max(center - (width * size) / 2, box.x + side), farthest);
  const middle = box.y + box.height / 2;
  const isRightToLeft = lines[0]!.isRightToLeft;
  const textLeft = isRightToLeft ? left : left + iconSpace * size;
  const textWidth = width - iconSpace;
  const top = middle - (height * size) / 2;
  const pathOf = (line: Line, at: number) =>
    line.path(
      textLeft + ((textWidth - line.width) * size) / 2,
      top + (lines[0]!.above + at * step) * size,
      size,
    );
  const text: Shape = {
    // A check of the design needs the layout alone, and no fonts of ideographs.
    get path() {
      return lines.map(pathOf).join('');
    },
    fill,
  };
  if (frameIcon === 'none') return [text];
  const iconSide = icon * size;
  const place = {
    x: isRightToLeft ? left + width * size - iconSide : left,
    y: middle - iconSide / 2,
    side: iconSide,
  };
  return [text, ...drawIcon(frameIcon, place, fill, isCodeBelow)];
}
