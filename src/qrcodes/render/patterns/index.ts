import { classy, classyRounded } from './classy.ts';
import { diamonds } from './diamonds.ts';
import { dots } from './dots.ts';
import { horizontalLines, verticalLines } from './lines.ts';
import type { DrawModules } from './pattern.ts';
import { extraRounded, rounded } from './rounded.ts';
import { squares } from './squares.ts';

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
} satisfies Record<string, DrawModules>;

export type Pattern = keyof typeof PATTERNS;

export const PATTERN_NAMES = Object.keys(PATTERNS) as Pattern[];
