import { Refusal } from '../../errors.ts';
import { contrastOnDark, worstContrast } from './contrast.ts';
import type { Background, Design } from './design.ts';
import { matrixOf } from './design-matrix.ts';
import { isUnequal } from './eyes/strict.ts';
import { layoutFrame } from './frames/index.ts';
import type { Matrix } from './matrix.ts';
import { BEARABLE_USED, GOOD_USED, usedCorrection } from './middle.ts';
import { placeModules } from './place.ts';
import { COMFORTABLE_CONTRAST, MIN_CONTRAST, minPx, refuseUnscannable } from './scannability.ts';

/** A property of a code that affects how easily it is scanned. */
export interface Finding {
  name: 'Contrast' | 'Density' | 'Sharpness' | 'Eyes' | 'Image' | 'Halftone';
  /** 0 to 100. */
  score: number;
  /** A sentence with the measurement and a suggestion. */
  reason: string;
}

/** Rating of how easily a code is scanned. */
export interface Score {
  /**
   * Lowest score of the findings, 0 to 100, as in the grades of ISO/IEC 15415. 0: the code would be
   * refused.
   */
  score: number;
  findings: Finding[];
  /** Reasons for a refusal, by field. */
  faults: string[];
}

/** Score of a value exactly at its limit. */
const AT_LIMIT = 50;
const LIGHT_ON_DARK = 60;
const UNEQUAL_EYES: Finding = {
  name: 'Eyes',
  score: 85,
  reason: 'Some scanners do not find eyes whose frame and ball have unlike corners.',
};
/** Score of a code that depends on the page behind it. */
const ON_LIGHT_PAGES = 75;
/**
 * Modules per side up to which codes are easy to scan (version 6), and those of the largest code.
 */
const EASY_MODULES = 41;
const MAX_MODULES = 177;
/** Minimum width of a printed module for phones at arm's length, in mm. */
const PRINTED_MODULE_MM = 0.4;

/**
 * Scores a code.
 *
 * @param payload text for readers of the code
 */
export function scoreOf(payload: string, design: Design): Score {
  try {
    refuseUnscannable(payload, design);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { score: 0, findings: [], faults: thrown.message.split('; ') };
  }
  const matrix = matrixOf(payload, design);
  const findings = [
    contrastFinding(design),
    densityFinding(matrix, design),
    sharpnessFinding(matrix, design),
    ...(isUnequal(design.shape) ? [UNEQUAL_EYES] : []),
    ...(design.background?.style === 'halftone' ? [halftoneFinding(design.background)] : []),
    ...(design.middle === null ? [] : [imageFinding(matrix, design)]),
  ];
  return { score: Math.min(...findings.map(({ score }) => score)), findings, faults: [] };
}

/** Minimum width in print for phones at arm's length, in whole mm. */
export const minPrintMm = (matrix: Matrix, { margin }: Design): number =>
  Math.ceil((matrix.size + 2 * margin) * PRINTED_MODULE_MM);

/** Interpolates from `AT_LIMIT` at `limit` to 100 at `good`. */
function between(value: number, limit: number, good: number): number {
  const share = (value - limit) / (good - limit);
  return Math.round(AT_LIMIT + (100 - AT_LIMIT) * Math.min(1, Math.max(0, share)));
}

function contrastFinding(design: Design): Finding {
  const { signed } = worstContrast(design);
  const percent = Math.floor(Math.abs(signed) * 100);
  const score = between(Math.abs(signed), MIN_CONTRAST, COMFORTABLE_CONTRAST);
  if (signed < 0) {
    const reason =
      'The code is lighter than its background: some scanners read dark on light only.';
    return { name: 'Contrast', score: Math.min(score, LIGHT_ON_DARK), reason };
  }
  if (contrastOnDark(design) < MIN_CONTRAST) {
    const reason =
      'The page shows through the background: phones cannot read the code on dark pages. Give its quiet zone a color.';
    return { name: 'Contrast', score: Math.min(score, ON_LIGHT_PAGES), reason };
  }
  const reason =
    score < 100
      ? `Code and background differ by ${percent}%: choose colors further apart for poor light.`
      : `Code and background differ by ${percent}%.`;
  return { name: 'Contrast', score, reason };
}

function densityFinding(matrix: Matrix, design: Design): Finding {
  const { size } = matrix;
  const least = minPrintMm(matrix, design);
  const density = `${size} dots a side: print it ${least} mm wide or more`;
  return {
    name: 'Density',
    score: between(-size, -MAX_MODULES, -EASY_MODULES),
    reason: size <= EASY_MODULES ? `${density}.` : `${density}, or shorten the content.`,
  };
}

function sharpnessFinding(matrix: Matrix, design: Design): Finding {
  const { px } = placeModules(layoutFrame(design).code, matrix.size, design.margin);
  // A halftone has a higher minimum for its cells, at which its modules are large already.
  const least = minPx({ ...design, background: undefined });
  const score = between(px, least, 2 * least);
  const sharpness = `Each dot is ${px} px wide`;
  const reason = score < 100 ? `${sharpness}: a larger image is sharper.` : `${sharpness}.`;
  return { name: 'Sharpness', score, reason };
}

/** Scores of halftones: out of focus, two decoders misread more of them than of other codes. */
const HALFTONE_SCORES: Record<Background['strength'], number> = {
  light: 90,
  medium: 80,
  strong: 70,
};

const halftoneFinding = ({ strength }: Background): Finding => ({
  name: 'Halftone',
  score: HALFTONE_SCORES[strength],
  reason:
    strength === 'light'
      ? 'A halftone needs a sharp print.'
      : 'A halftone needs a sharp print: a lighter picture is read out of focus too.',
});

function imageFinding(matrix: Matrix, design: Design): Finding {
  const used = usedCorrection(matrix, design);
  const percent = Math.round(used * 100);
  const spare = design.level === 'H' ? 'a smaller image' : 'a smaller image or a higher level';
  return {
    name: 'Image',
    score: between(-used, -BEARABLE_USED, -GOOD_USED),
    reason: `The image takes ${percent}% of the error correction${used > GOOD_USED ? `: ${spare} leaves more for dirt and wear` : ''}.`,
  };
}
