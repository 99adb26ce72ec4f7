import { Refusal } from '../../errors.ts';
import { blocksOf, codewordMap } from './codewords.ts';
import { contrast, luminance, onPaper, over, parseColor } from './color.ts';
import type { Design } from './design.ts';
import { type ModulePlace, placeImage, placeModules, touches } from './drawing.ts';
import type { Box } from './drawing-types.ts';
import { type FrameForm, labelOf } from './frames/frame.ts';
import { FRAMES, layoutFrame } from './frames/index.ts';
import { encodeMatrix, type Matrix } from './matrix.ts';
import { missingCharacter } from './text.ts';

/** Least contrast ratio of modules and ground, and of words and frame (WCAG 2, 1.4.11). */
const LEAST_CONTRAST = 3;
/** Share of a block's correction that an image may use up: the rest is for dirt, glare and wear. */
const BORNE = 0.5;
/** Side of an image that was given no size, as a share of the code's. */
const MIDDLE_SHARE = 0.22;

/** Least px per module. Edges that are not those of pixels need one more. */
export const leastPx = ({ pattern, shape }: Design): number =>
  pattern === 'squares' && shape.startsWith('square') ? 3 : 4;

/**
 * Refuses what phones could not scan.
 *
 * @returns the encoded payload
 * @throws Refusal `unprocessable_entity` naming every fault and the field to change
 */
export function refuseUnscannable(payload: string, design: Design): Matrix {
  const matrix = encodeMatrix(payload, design.level, design.middle !== null);
  const faults = [
    sizeFault(matrix, design),
    contrastFault(design),
    ...labelFaults(design),
    middleFault(matrix, design),
  ].filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
  return matrix;
}

function pxAt(size: number, matrix: Matrix, design: Design): number {
  const { code } = layoutFrame({ ...design, size });
  return placeModules(code, matrix.size, design.margin).px;
}

/** The least size of a picture with so many px per module. */
export function leastSize(matrix: Matrix, design: Design, px: number): number {
  let [low, high] = [1, matrix.size * px * 4 + 400];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (pxAt(middle, matrix, design) >= px) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sizeFault(matrix: Matrix, design: Design): string | undefined {
  const least = leastPx(design);
  if (pxAt(design.size, matrix, design) >= least) return undefined;
  return (
    `size must be at least ${leastSize(matrix, design, least)} px for this content: the code has ` +
    `${matrix.size + 2 * design.margin} modules a side with its quiet zone, and each needs ${least} px`
  );
}

function contrastFault({ fgColor, bgColor }: Design): string | undefined {
  const ground = onPaper(parseColor(bgColor));
  const ink = over(parseColor(fgColor), ground);
  if (luminance(ink) >= luminance(ground)) {
    return 'fgColor must be darker than bgColor: many scanners do not read light codes on a dark ground';
  }
  const ratio = contrast(ink, ground);
  if (ratio >= LEAST_CONTRAST) return undefined;
  return `fgColor and bgColor must differ more: their contrast is ${ratio.toFixed(1)} : 1, and scanners need ${LEAST_CONTRAST} : 1`;
}

function labelFaults(design: Design): (string | undefined)[] {
  const form: FrameForm = FRAMES[design.frame];
  if (!form.hasLabel) return [];
  const ratio = contrast(
    onPaper(parseColor(design.frameTextColor)),
    onPaper(parseColor(design.frameColor)),
  );
  const missing = missingCharacter(labelOf(design), design.frameTextStyles.family);
  return [
    ratio >= LEAST_CONTRAST
      ? undefined
      : `frameTextColor and frameColor must differ more: their contrast is ${ratio.toFixed(1)} : 1, and words need ${LEAST_CONTRAST} : 1`,
    missing === undefined
      ? undefined
      : `frameText must not contain "${missing}": the font ${design.frameTextStyles.family} does not have it`,
  ];
}

function middleFault(matrix: Matrix, design: Design): string | undefined {
  const { middle } = design;
  if (middle === null) return undefined;
  const { code } = layoutFrame(design);
  const place = placeModules(code, matrix.size, design.margin);
  if (place.px === 0) return undefined;
  const box = placeImage(design, place, matrix.size)!;
  const bearable = judge(matrix);
  if (bearable(box, place)) return undefined;
  const side = largestSide(matrix, place, 1);
  const most =
    side === 0
      ? 'no image can be drawn in a code of this size and level'
      : `the largest that works is ${side} × ${side} px`;
  const raise =
    design.level === 'H' ? 'choose a smaller image' : 'choose a smaller image, or a higher level';
  return (
    `width and height of the image must be smaller: ${middle.width} × ${middle.height} px hide more of the code ` +
    `than level ${design.level} can bear; ${most} (${raise})`
  );
}

/**
 * The largest square for an image that was given no size: 22 % of the code's side, or less where it can bear less.
 *
 * @returns px of the picture; `null` when the code can bear none
 * @throws Refusal `unprocessable_entity` when the payload does not fit into a code of the level
 */
export function largestMiddle(
  payload: string,
  design: Design,
): { width: number; height: number } | null {
  const matrix = encodeMatrix(payload, design.level, true);
  const place = placeModules(layoutFrame(design).code, matrix.size, design.margin);
  const side = largestSide(matrix, place, MIDDLE_SHARE);
  return side === 0 ? null : { width: side, height: side };
}

/** Side of the largest square that can be borne, in px: a whole and odd number of modules, so that it is in their middle. */
function largestSide(matrix: Matrix, place: ModulePlace, share: number): number {
  const { size } = matrix;
  const { x0, y0, px } = place;
  if (px === 0) return 0;
  const bearable = judge(matrix);
  const most = Math.floor(size * share);
  for (let modules = most % 2 === 1 ? most : most - 1; modules >= 1; modules -= 2) {
    const side = modules * px;
    const offset = ((size - modules) / 2) * px;
    if (bearable({ x: x0 + offset, y: y0 + offset, width: side, height: side }, place)) return side;
  }
  return 0;
}

/** Judges whether a code can bear to have a box hidden. */
function judge(matrix: Matrix): (box: Box, place: ModulePlace) => boolean {
  const { size, version, level, isFunction } = matrix;
  const { count, corrects, blockOf } = blocksOf(version, level);
  const map = codewordMap(matrix, blockOf.length);
  const mostHidden = Math.floor(corrects * BORNE);
  return (box, place) => {
    const hidden = new Set<number>();
    for (let row = 0; row < size; row += 1) {
      for (let column = 0; column < size; column += 1) {
        if (!touches(box, place, row, column)) continue;
        // Eyes, timing and alignment patterns, format and version: what a decoder finds its way by.
        if (isFunction(row, column)) return false;
        const codeword = map[row * size + column]!;
        if (codeword >= 0) hidden.add(codeword);
      }
    }
    const byBlock = new Uint16Array(count);
    for (const codeword of hidden) byBlock[blockOf[codeword]!]! += 1;
    return byBlock.every((hiddenCodewords) => hiddenCodewords <= mostHidden);
  };
}
