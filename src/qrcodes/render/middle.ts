import { blocksOf, codewordMap } from './codewords.ts';
import type { Design, Middle, Plate } from './design.ts';
import { matrixOf } from './design-matrix.ts';
import { layoutFrame } from './frames/index.ts';
import type { Matrix } from './matrix.ts';
import { type Area, coveredArea, isVisible, placeModules, plateArea, touches } from './place.ts';

/*
 * Sizes of the image in the middle. Blocks of codewords correct their own errors, so that the worst
 * block decides.
 */

/**
 * Share of a block's error correction that an image may use; the rest is for dirt, glare and wear.
 */
const MAX_USED = 0.5;
/**
 * Shares of the error correction at which its unused rest has the grades A and C of ISO/IEC 15415:
 * 62% and 37%. An image without a size uses at most the first.
 */
export const GOOD_USED = 0.38;
export const BEARABLE_USED = 0.63;
/** Maximum sides of an image without a size, as a share of the code's side. */
const MAX_SHARE = 0.3;
/** Number of versions by which a code may grow for its image. */
const GROWTH = 3;
/** Share of the largest image for which a code does not grow. */
const NEARLY = 0.79;

/** An image whose size is wanted. */
export interface Wanted {
  /** Width divided by height. */
  ratio?: number;
  plate?: Plate | null;
  excavate?: boolean;
}

/** Returns a function that measures the correction used by an area: a share of the worst block. */
function usedBy(matrix: Matrix): (area: Area, place: ReturnType<typeof placeModules>) => number {
  const { size, version, level, isFunction } = matrix;
  const { count, corrects, blockOf } = blocksOf(version, level);
  const map = codewordMap(matrix, blockOf.length);
  return (area, place) => {
    const hidden = new Set<number>();
    for (let row = 0; row < size; row += 1) {
      for (let column = 0; column < size; column += 1) {
        if (!touches(area, place, row, column)) continue;
        // Eyes, timing and alignment patterns, format and version information.
        if (isFunction(row, column)) return Number.POSITIVE_INFINITY;
        const codeword = map[row * size + column]!;
        if (codeword >= 0) hidden.add(codeword);
      }
    }
    const byBlock = new Uint16Array(count);
    for (const codeword of hidden) byBlock[blockOf[codeword]!]! += 1;
    return Math.max(...byBlock) / corrects;
  };
}

const placeOf = (matrix: Matrix, design: Design) =>
  placeModules(layoutFrame(design).code, matrix.size, design.margin);

/**
 * Share of a block's error correction that the image of a design uses, for the worst block; 0
 * without an image.
 */
export function usedCorrection(matrix: Matrix, design: Design): number {
  const place = placeOf(matrix, design);
  const area = coveredArea(design, place, matrix.size);
  return area === null || place.px === 0 ? 0 : usedBy(matrix)(area, place);
}

/** True if a code can lose what the image of its design hides. */
export const isBearable = (matrix: Matrix, design: Design): boolean =>
  // Floating-point shares of the same number of codewords may differ.
  Math.floor(usedCorrection(matrix, design) * blocksOf(matrix.version, matrix.level).corrects) <=
  Math.floor(MAX_USED * blocksOf(matrix.version, matrix.level).corrects);

/** The codes of a payload for an image, from the smallest on. */
function candidates(payload: string, design: Design): Matrix[] {
  const first = matrixOf(payload, { ...design, middle: null }, true);
  const all = [first];
  for (let version = first.version + 1; version <= first.version + GROWTH; version += 1) {
    try {
      const middle = { ...EMPTY, minVersion: version };
      const next = matrixOf(payload, { ...design, middle }, true);
      if (next.version === version) all.push(next);
    } catch {
      break;
    }
  }
  return all;
}

const EMPTY: Middle = { width: 1, height: 1, excavate: true };

/**
 * Computes the largest size of an image without a size, with which the code is still easy to scan;
 * the code grows by a few modules if the image gains much by it. Where its level is too low for
 * that, the image takes what the code can bear.
 *
 * @returns px of the picture, and the least version; `null` if the code has no room for an image
 * @throws Refusal `unprocessable_entity` if the payload does not fit into a code of the level
 */
export function largestMiddle(
  payload: string,
  design: Design,
  wanted: Wanted = {},
): Pick<Middle, 'width' | 'height' | 'minVersion'> | null {
  const codes = candidates(payload, design);
  return (
    largestIn(codes, design, wanted, GOOD_USED, MAX_SHARE) ??
    largestIn(codes, design, wanted, MAX_USED, MAX_SHARE)
  );
}

/** The largest size of an image that a code can bear, with the proportions of the given one. */
export function largestBearable(
  payload: string,
  design: Design,
  { width, height, plate, excavate }: Middle,
): Pick<Middle, 'width' | 'height'> | null {
  const wanted = { ratio: width / height, plate: plate ?? null, excavate };
  return largestIn(candidates(payload, design), design, wanted, MAX_USED, 1);
}

/** The least version in which a code can bear an image; `undefined` if none can. */
export function versionFor(payload: string, design: Design, middle: Middle): number | undefined {
  return candidates(payload, design).find((matrix) => isBearable(matrix, { ...design, middle }))
    ?.version;
}

function largestIn(
  codes: readonly Matrix[],
  design: Design,
  wanted: Wanted,
  maxUsed: number,
  maxShare: number,
): Pick<Middle, 'width' | 'height' | 'minVersion'> | null {
  const sizes = codes.flatMap((matrix) => {
    const size = largestFor(matrix, design, wanted, maxUsed, maxShare);
    return size === undefined ? [] : [{ ...size, minVersion: matrix.version }];
  });
  const most = Math.max(...sizes.map(({ width }) => width));
  const chosen = sizes.find(({ width }) => width >= most * (maxShare === 1 ? 1 : NEARLY));
  if (chosen === undefined) return null;
  const { minVersion, ...size } = chosen;
  return minVersion === codes[0]?.version ? size : chosen;
}

/** The largest image in one code. Areas of an odd number of modules are centered between others. */
function largestFor(
  matrix: Matrix,
  design: Design,
  { ratio = 1, plate = null, excavate = false }: Wanted,
  maxUsed: number,
  maxShare: number,
): { width: number; height: number } | undefined {
  const { size } = matrix;
  const place = placeOf(matrix, design);
  const { px } = place;
  if (px === 0) return undefined;
  const used = usedBy(matrix);
  const allowed = Math.floor(maxUsed * blocksOf(matrix.version, matrix.level).corrects);
  // The image with a longer side of 1, and the area that it covers.
  const unit = { x: 0, y: 0, width: Math.min(1, ratio), height: Math.min(1, 1 / ratio) };
  const area = plate && (excavate || isVisible(plate)) ? plateArea(unit, plate) : unit;
  const odd = Array.from({ length: Math.ceil(size / 2) }, (_, index) => (2 * index + 1) * px);
  const sides = [area.width, area.height]
    .flatMap((outer) => odd.map((length) => length / outer))
    .filter((side) => side <= maxShare * size * px + 1e-6)
    .toSorted((a, b) => b - a);
  for (const side of sides) {
    const width = Math.floor(unit.width * side + 1e-6);
    const height = Math.floor(unit.height * side + 1e-6);
    if (width < 1 || height < 1) continue;
    const middle: Middle = { width, height, excavate, plate };
    const covered = coveredArea({ middle }, place, size)!;
    const share = used(covered, place);
    const { corrects } = blocksOf(matrix.version, matrix.level);
    if (Math.round(share * corrects) <= allowed) return { width, height };
  }
  return undefined;
}
