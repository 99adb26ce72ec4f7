import { type EyeShape, eyePartsOf } from './index.ts';

/**
 * Balls by the frames in which readers may miss them that look along the diagonals of an eye: a ball
 * whose corners are cut further than those of its frame, or less far. Measured with jsQR, at 4 to 10
 * px per module; ZXing and ZBar read all shapes.
 */
const UNEQUAL: Readonly<Record<string, readonly string[]>> = {
  square: ['dot', 'diamond', 'drop', 'cross'],
  leaf: ['dot', 'diamond'],
  octagon: ['dot'],
  soft: ['dot', 'diamond'],
  shield: ['dot', 'diamond'],
  almond: ['dot', 'diamond', 'cross', 'flower'],
  pointed: ['dot', 'diamond'],
};

/** True for eyes that strict readers may not find. */
export function isUnequal(shape: EyeShape): boolean {
  const [frame, ball] = eyePartsOf(shape);
  return UNEQUAL[frame]?.includes(ball) === true;
}
