import { Refusal } from '../../errors.ts';
import { contrast, onPaper, parseColor } from './color.ts';
import { type Colors, contrastOnDark, worstContrast } from './contrast.ts';
import type { Design } from './design.ts';
import { matrixOf } from './design-matrix.ts';
import { isUnequal } from './eyes/strict.ts';
import type { FrameForm } from './frames/frame.ts';
import { FRAMES, layoutFrame } from './frames/index.ts';
import { labelOf } from './frames/label-text.ts';
import type { Matrix } from './matrix.ts';
import { isBearable, largestBearable } from './middle.ts';
import { placeModules } from './place.ts';
import { missingCharacter } from './text.ts';

/**
 * Minimum and comfortable symbol contrast of modules and background: grades C and A of ISO/IEC
 * 15415. Two decoders read every pair of greys with noise and shade at the minimum, and with more
 * of both at the comfortable contrast (docs/qr-codes.md).
 */
export const MIN_CONTRAST = 0.4;
export const COMFORTABLE_CONTRAST = 0.7;
/** Minimum contrast ratio of text and frame (WCAG 2, 1.4.3, large text). */
const MIN_WORD_CONTRAST = 3;

/** Minimum px per module of a halftone, whose middle cell has four px then. */
const HALFTONE_PX = 8;

/** Minimum px per module. Edges off the pixel grid need one more. */
export function minPx({ pattern, shape, background }: Design): number {
  if (background?.style === 'halftone') return HALFTONE_PX;
  return pattern === 'squares' && shape.startsWith('square') ? 3 : 4;
}

/** A code to check. */
interface Code {
  payload: string;
  design: Design;
}

/**
 * Refuses a code that phones could not scan.
 *
 * @param accepted the stored code, whose existing faults do not stop a change of something else
 * @returns the encoded payload
 * @throws Refusal `unprocessable_entity` naming every fault and the field to change
 */
export function refuseUnscannable(payload: string, design: Design, accepted?: Code): Matrix {
  const matrix = matrixOf(payload, design);
  let faults = faultsOf(payload, matrix, design);
  if (faults.length > 0 && accepted !== undefined) {
    const before = matrixOf(accepted.payload, accepted.design);
    const acceptedFaults = new Set(faultsOf(accepted.payload, before, accepted.design));
    faults = faults.filter((fault) => !acceptedFaults.has(fault));
  }
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
  return matrix;
}

const faultsOf = (payload: string, matrix: Matrix, design: Design): string[] =>
  [
    sizeFault(matrix, design),
    contrastFault(design),
    ...backgroundFaults(matrix, design),
    ...labelFaults(design),
    middleFault(payload, matrix, design),
  ].filter((fault) => fault !== undefined);

/** Reasons why some phones may not read a code that is drawn nevertheless. */
export function warningsOf(design: Colors & Pick<Design, 'middle' | 'shape'>): string[] {
  const { background } = design;
  const { signed, ink, ground } = worstContrast(design);
  const reflected = Math.abs(signed);
  const onDark = contrastOnDark(design);
  return [
    ...(reflected >= COMFORTABLE_CONTRAST
      ? []
      : [
          `${background?.style === 'picture' ? `backgroundStrength ${background.strength}: modules and their background` : `${ink} and ${ground}`} have a symbol contrast of ${perCent(reflected)}: below ${perCent(COMFORTABLE_CONTRAST)} a code may not be read in poor light`,
        ]),
    ...(signed > 0
      ? []
      : [
          `${ink} is lighter than ${ground}: some scanners do not read light codes on a dark ground`,
        ]),
    ...(onDark >= MIN_CONTRAST
      ? []
      : [
          `bgColor lets the page behind the code through: on a dark one, the symbol contrast is ${perCent(Math.abs(onDark))}; set quietZoneColor, or use the code on light pages only`,
        ]),
    ...(design.middle === null || design.middle.excavate
      ? []
      : [
          'excavate is false: the image cuts through modules, whose rests some scanners misread; true clears them',
        ]),
    ...(background?.style === 'halftone' && background.strength === 'strong'
      ? [
          'backgroundStrength strong: some scanners do not read such a halftone out of focus; print it large',
        ]
      : []),
    ...(isUnequal(design.shape)
      ? [
          `shape ${design.shape}: some scanners do not find eyes whose frame and ball have unlike corners`,
        ]
      : []),
  ];
}

const perCent = (share: number): string => `${Math.floor(share * 100 + 1e-9)}%`;

function pxAt(size: number, matrix: Matrix, design: Design): number {
  const { code } = layoutFrame({ ...design, size });
  return placeModules(code, matrix.size, design.margin).px;
}

/** Minimum size of a picture for a number of px per module. */
export function minSize(matrix: Matrix, design: Design, px: number): number {
  let [low, high] = [1, matrix.size * px * 4 + 400];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (pxAt(middle, matrix, design) >= px) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** True if a picture has enough px per module for its design. */
export const isLargeEnough = (payload: string, design: Design): boolean =>
  pxAt(design.size, matrixOf(payload, design), design) >= minPx(design);

function sizeFault(matrix: Matrix, design: Design): string | undefined {
  const least = minPx(design);
  if (pxAt(design.size, matrix, design) >= least) return undefined;
  return (
    `size must be at least ${minSize(matrix, design, least)} px for this content: the code has ` +
    `${matrix.size + 2 * design.margin} modules a side with its quiet zone, and each needs ${least} px`
  );
}

function contrastFault(design: Design): string | undefined {
  const { signed, ink, ground } = worstContrast(design);
  const reflected = Math.abs(signed);
  if (reflected >= MIN_CONTRAST) return undefined;
  return `${ink} and ${ground} must differ more: their symbol contrast is ${perCent(reflected)}, and scanners need ${perCent(MIN_CONTRAST)}`;
}

/** Highest version of a halftone, whose cells are as small as the modules of version 40 then. */
const HALFTONE_VERSION = 10;

/** Combinations with a picture behind the code that are not drawn, or could not be scanned. */
function backgroundFaults({ version }: Matrix, design: Design): string[] {
  const { background, frame, fgGradient, hasSwissCross } = design;
  if (background === undefined) return [];
  const isPicture = background.style === 'picture';
  const cases: [isFault: boolean, rule: string][] = [
    [frame === 'disc', 'backgroundSrc must not be set where frame is disc'],
    [hasSwissCross, 'backgroundSrc must not be set for a Swiss QR bill, which is black on white'],
    [
      isPicture && fgGradient !== null,
      'fgGradient must not be set where backgroundStyle is picture, which gives modules its colors',
    ],
    [
      worstContrast({ ...design, background: undefined }).signed <= 0,
      'fgColor must be darker than bgColor where backgroundSrc is set',
    ],
    [
      !isPicture && version > HALFTONE_VERSION,
      `backgroundStyle must not be halftone for this content: the code has ${17 + 4 * version} modules a side, and a halftone at most ${17 + 4 * HALFTONE_VERSION}; shorten the content, or lower level`,
    ],
  ];
  return cases.filter(([isFault]) => isFault).map(([, rule]) => rule);
}

function labelFaults(design: Design): (string | undefined)[] {
  const form: FrameForm = FRAMES[design.frame];
  if (!form.hasLabel) return [];
  const ratio = contrast(
    onPaper(parseColor(design.frameTextColor)),
    onPaper(parseColor(design.frameColor)),
  );
  const missing = missingCharacter(labelOf(design).replace('\n', ''), design.frameTextStyles);
  return [
    ratio >= MIN_WORD_CONTRAST
      ? undefined
      : `frameTextColor and frameColor must differ more: their contrast is ${ratio.toFixed(1)} : 1, and words need ${MIN_WORD_CONTRAST} : 1`,
    missing === undefined
      ? undefined
      : `frameText must not contain "${missing}": ${design.frameTextStyles.letters ? 'its font lacks it' : 'no font has it'}`,
  ];
}

function middleFault(payload: string, matrix: Matrix, design: Design): string | undefined {
  const { middle } = design;
  if (middle === null || pxAt(design.size, matrix, design) === 0) return undefined;
  if (isBearable(matrix, design)) return undefined;
  const largest = largestBearable(payload, design, middle);
  const most =
    largest === null
      ? 'no image can be drawn in a code of this size and level'
      : `the largest that works is ${largest.width} × ${largest.height} px`;
  const raise =
    design.level === 'H' ? 'choose a smaller image' : 'choose a smaller image, or a higher level';
  return (
    `width and height of the image must be smaller: ${middle.width} × ${middle.height} px hide more of the code ` +
    `than level ${design.level} can bear; ${most} (${raise})`
  );
}
