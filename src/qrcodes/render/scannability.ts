import { Refusal } from '../../errors.ts';
import { blocksOf, codewordMap } from './codewords.ts';
import { contrast, luminance, onPaper, over, parseColor, symbolContrast } from './color.ts';
import type { Design } from './design.ts';
import { type ModulePlace, placeImage, placeModules, touches } from './drawing.ts';
import type { Box } from './drawing-types.ts';
import { type FrameForm, labelOf } from './frames/frame.ts';
import { FRAMES, layoutFrame } from './frames/index.ts';
import { encodeMatrix, type Matrix } from './matrix.ts';
import { missingCharacter } from './text.ts';

/**
 * Least symbol contrast of modules and ground, and from where on it is comfortable: grades C and A of ISO/IEC 15415.
 * Two decoders read every pair of greys at the one in noise and shade, at the other in more of both (docs/qr-codes.md).
 */
export const LEAST_CONTRAST = 0.4;
export const COMFORTABLE_CONTRAST = 0.7;
/** Least contrast ratio of words and frame (WCAG 2, 1.4.3, large text). */
const LEAST_WORD_CONTRAST = 3;
/** Share of a block's correction that an image may use up: the rest is for dirt, glare and wear. */
const BORNE = 0.5;
/** Side of an image that was given no size, as a share of the code's. */
const MIDDLE_SHARE = 0.22;

/** Least px per module. Edges that are not those of pixels need one more. */
export const leastPx = ({ pattern, shape }: Design): number =>
  pattern === 'squares' && shape.startsWith('square') ? 3 : 4;

/** A code to be judged. */
interface Code {
  payload: string;
  design: Design;
}

/**
 * Refuses what phones could not scan.
 *
 * @param accepted the code as it was stored: a fault that it has already does not stop a change of something else
 * @returns the encoded payload
 * @throws Refusal `unprocessable_entity` naming every fault and the field to change
 */
export function refuseUnscannable(payload: string, design: Design, accepted?: Code): Matrix {
  const matrix = encodeMatrix(payload, design.level, design.middle !== null);
  let faults = faultsOf(matrix, design);
  if (faults.length > 0 && accepted !== undefined) {
    const { level, middle } = accepted.design;
    const before = encodeMatrix(accepted.payload, level, middle !== null);
    const known = new Set(faultsOf(before, accepted.design));
    faults = faults.filter((fault) => !known.has(fault));
  }
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
  return matrix;
}

const faultsOf = (matrix: Matrix, design: Design): string[] =>
  [
    sizeFault(matrix, design),
    contrastFault(design),
    ...labelFaults(design),
    middleFault(matrix, design),
  ].filter((fault) => fault !== undefined);

/** Reasons why some phones may not read a code that is drawn nevertheless. */
export function warningsOf({ fgColor, bgColor }: Pick<Design, 'fgColor' | 'bgColor'>): string[] {
  const { ink, ground } = seen({ fgColor, bgColor });
  const reflected = symbolContrast(ink, ground);
  return [
    ...(reflected >= COMFORTABLE_CONTRAST
      ? []
      : [
          `fgColor and bgColor have a symbol contrast of ${perCent(reflected)}: below ${perCent(COMFORTABLE_CONTRAST)} a code may not be read in poor light`,
        ]),
    ...(luminance(ink) < luminance(ground)
      ? []
      : [
          'fgColor is lighter than bgColor: some scanners do not read light codes on a dark ground',
        ]),
  ];
}

const perCent = (share: number): string => `${Math.floor(share * 100 + 1e-9)}%`;

/** Symbol contrast of modules and ground, 0 to 1; negative where the modules are lighter. */
export function contrastOf(design: Pick<Design, 'fgColor' | 'bgColor'>): number {
  const { ink, ground } = seen(design);
  return luminance(ground) - luminance(ink);
}

/** The colors of modules and ground as they are seen on paper. */
function seen({ fgColor, bgColor }: Pick<Design, 'fgColor' | 'bgColor'>) {
  const ground = onPaper(parseColor(bgColor));
  return { ink: over(parseColor(fgColor), ground), ground };
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

function contrastFault(design: Design): string | undefined {
  const { ink, ground } = seen(design);
  const reflected = symbolContrast(ink, ground);
  if (reflected >= LEAST_CONTRAST) return undefined;
  return `fgColor and bgColor must differ more: their symbol contrast is ${perCent(reflected)}, and scanners need ${perCent(LEAST_CONTRAST)}`;
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
    ratio >= LEAST_WORD_CONTRAST
      ? undefined
      : `frameTextColor and frameColor must differ more: their contrast is ${ratio.toFixed(1)} : 1, and words need ${LEAST_WORD_CONTRAST} : 1`,
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
 * The largest square for an image that was given no size: 22% of the code's side, or less where it can bear less.
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

/** Share of a block's correction that the image of a design uses up, in the worst block; 0 without an image. */
export function usedCorrection(matrix: Matrix, design: Design): number {
  const place = placeModules(layoutFrame(design).code, matrix.size, design.margin);
  const box = placeImage(design, place, matrix.size);
  if (box === null || place.px === 0) return 0;
  return hiddenBy(matrix)(box, place) / blocksOf(matrix.version, matrix.level).corrects;
}

/** Judges whether a code can bear to have a box hidden. */
function judge(matrix: Matrix): (box: Box, place: ModulePlace) => boolean {
  const mostHidden = Math.floor(blocksOf(matrix.version, matrix.level).corrects * BORNE);
  const hidden = hiddenBy(matrix);
  return (box, place) => hidden(box, place) <= mostHidden;
}

/** Counts the codewords that a box hides, in the block that loses most; infinite where it hides what decoders find their way by. */
function hiddenBy(matrix: Matrix): (box: Box, place: ModulePlace) => number {
  const { size, version, level, isFunction } = matrix;
  const { count, blockOf } = blocksOf(version, level);
  const map = codewordMap(matrix, blockOf.length);
  return (box, place) => {
    const hidden = new Set<number>();
    for (let row = 0; row < size; row += 1) {
      for (let column = 0; column < size; column += 1) {
        if (!touches(box, place, row, column)) continue;
        // Eyes, timing and alignment patterns, format and version.
        if (isFunction(row, column)) return Number.POSITIVE_INFINITY;
        const codeword = map[row * size + column]!;
        if (codeword >= 0) hidden.add(codeword);
      }
    }
    const byBlock = new Uint16Array(count);
    for (const codeword of hidden) byBlock[blockOf[codeword]!]! += 1;
    return Math.max(...byBlock);
  };
}
