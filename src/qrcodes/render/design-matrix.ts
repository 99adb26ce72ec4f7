import type { Design } from './design.ts';
import { encodeMatrix, type Matrix } from './matrix.ts';

/**
 * Least version of a code with the Swiss cross. Versions 8 to 13 have an alignment pattern in their
 * middle, where ZBar looks for it and loses the code; a bill may have versions up to 25 (SIX,
 * Implementation Guidelines for the QR-bill).
 */
const SWISS_CROSS_VERSION = 14;

/** Least version of a halftone, since a picture needs cells; larger ones are denser to scan. */
const HALFTONE_VERSION = 6;

/**
 * Encodes a text for a design.
 *
 * @param freeMiddle leaves room for an image in the middle
 * @throws Refusal `unprocessable_entity` if the text does not fit at the level of the design
 */
export const matrixOf = (
  payload: string,
  { level, raisesLevel, middle, hasSwissCross, background }: Design,
  freeMiddle = middle !== null,
): Matrix =>
  encodeMatrix(payload, level, {
    freeMiddle,
    raisesLevel,
    minVersion: Math.max(
      hasSwissCross ? SWISS_CROSS_VERSION : (middle?.minVersion ?? 1),
      background?.style === 'halftone' ? HALFTONE_VERSION : 1,
    ),
  });
