import { type EyeShape, eyePartsOf } from './index.ts';

/**
 * Balls by the frames in which jsQR misses a twentieth of codes or more, because it looks along the
 * diagonals of an eye too: balls whose corners are cut further than those of their frame, or less
 * far. Measured with 40 codes of versions 4 to 9, at 4 to 7 px per module; of the other shapes, it
 * misses at most one of the 40. ZXing and ZBar read all.
 */
const UNEQUAL: Readonly<Record<string, readonly string[]>> = {
  square: ['dot', 'diamond', 'drop', 'cross'],
  rounded: ['dot', 'diamond'],
  'extra-rounded': ['square', 'petal'],
  leaf: ['dot', 'diamond', 'cross'],
  octagon: ['dot', 'diamond'],
  notched: ['square', 'petal'],
  soft: ['dot', 'diamond', 'cross'],
  shield: ['dot', 'diamond'],
  almond: ['dot', 'diamond', 'cross', 'flower'],
  pointed: ['dot', 'diamond', 'cross'],
};

/** True for eyes that strict readers may not find. */
export function isUnequal(shape: EyeShape): boolean {
  const [frame, ball] = eyePartsOf(shape);
  return UNEQUAL[frame]?.includes(ball) === true;
}
