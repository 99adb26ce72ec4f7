import { classy, classyRounded, extraRounded, fluid, rounded, squares } from './connected.ts';
import { horizontalLines, verticalLines } from './lines.ts';
import type { DrawModules } from './pattern.ts';
import { diamonds, dots, hearts, hexagons, leaves, roundedTiles, tiles } from './single.ts';

/** All patterns of modules. A new one is a function and a line here. */
export const PATTERNS = {
  squares,
  dots,
  rounded,
  'extra-rounded': extraRounded,
  classy,
  'classy-rounded': classyRounded,
  diamonds,
  'vertical-lines': verticalLines,
  'horizontal-lines': horizontalLines,
  fluid,
  tiles,
  'rounded-tiles': roundedTiles,
  leaves,
  hexagons,
  hearts,
} satisfies Record<string, DrawModules>;

export type Pattern = keyof typeof PATTERNS;

export const PATTERN_NAMES = Object.keys(PATTERNS) as Pattern[];
