import { allCorners, circle, cutRectangle, rectangle, roundRectangle } from '../geometry.ts';
import { horizontalLines, verticalLines } from './lines.ts';
import { type DrawModules, eachModule, eachRun, radii } from './pattern.ts';

/** Plain modules, as in ISO/IEC 18004. */
const squares = eachRun(({ x, y, width, height }) => rectangle(x, y, width, height));

/**
 * A dot per module, slightly wider than the module, since strict decoders lose the grid at gaps.
 */
const dots = eachModule((x, y, px) => circle(x + px / 2, y + px / 2, px * 0.56));

const roundedBy = (share: number): DrawModules =>
  eachRun(({ x, y, width, height }, free, px) =>
    roundRectangle(x, y, width, height, radii(free, allCorners(px * share))),
  );

/** Connected modules with slightly rounded free corners. */
const rounded = roundedBy(0.3);

/** Connected modules with semicircular free ends. */
const extraRounded = roundedBy(0.46);

/** Runs with one pair of opposite corners rounded, like leaves. */
const classy = eachRun(({ x, y, width, height }, free, px) =>
  roundRectangle(x, y, width, height, radii(free, [px / 2, 0, px / 2, 0])),
);

/** Runs like leaves, with the other pair of corners slightly rounded. */
const classyRounded = eachRun(({ x, y, width, height }, free, px) =>
  roundRectangle(x, y, width, height, radii(free, [px / 2, px / 5, px / 2, px / 5])),
);

/** Cuts free corners off. Single modules become diamonds with two thirds of the ink. */
const diamonds = eachRun(({ x, y, width, height }, free, px) =>
  cutRectangle(x, y, width, height, radii(free, allCorners(px * 0.4))),
);

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
