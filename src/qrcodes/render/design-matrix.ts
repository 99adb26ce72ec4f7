import type { Design } from './design.ts';
import { encodeMatrix, type Matrix } from './matrix.ts';

/**
 * Encodes a text for a design.
 *
 * @param freeMiddle leaves room for an image in the middle
 * @throws Refusal `unprocessable_entity` if the text does not fit at the level of the design
 */
export const matrixOf = (
  payload: string,
  { level, raisesLevel, middle }: Design,
  freeMiddle = middle !== null,
): Matrix =>
  encodeMatrix(payload, level, { freeMiddle, raisesLevel, minVersion: middle?.minVersion });
