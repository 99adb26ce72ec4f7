import { limitsOf, luminancesOf } from './background.ts';
import { type Color, grey, luminance, over, parseColor } from './color.ts';
import type { Design, DesignGradient } from './design.ts';
import { EYES } from './eyes/index.ts';

/** Fields that decide the contrast of modules and their background. */
export type Colors = Pick<
  Design,
  | 'fgColor'
  | 'bgColor'
  | 'quietZoneColor'
  | 'fgGradient'
  | 'bgGradient'
  | 'eyeColor'
  | 'eyeBallColor'
  | 'eyeColors'
  | 'eyeGradient'
  | 'background'
>;

/** A color and the field that a caller changes it by. */
interface Tone {
  field: string;
  color: Color;
}

/** The contrast of a code at its worst point. */
export interface WorstContrast {
  /**
   * Difference of the reflectances of background and modules, -1 to 1 (ISO/IEC 15415, 7.8.3);
   * negative for light modules on dark, 0 if some are lighter and others darker.
   */
  signed: number;
  /** Fields of the colors that are closest. */
  ink: string;
  ground: string;
}

const WHITE = parseColor('#FFFFFF');
const BLACK = parseColor('#000000');

/** Points of a step between two stops of a gradient that are compared. */
const SAMPLES = 8;

/** The colors of a gradient: its stops, and those between them, which can be darker than both. */
function samples({ stops }: DesignGradient): Color[] {
  const colors = stops.map(({ color }) => parseColor(color));
  return colors.flatMap((color, at) => {
    const next = colors[at + 1];
    if (next === undefined) return [color];
    return Array.from({ length: SAMPLES }, (_, step) =>
      over({ ...next, a: step / SAMPLES }, color),
    );
  });
}

const tones = (field: string, value: string | DesignGradient): Tone[] =>
  typeof value === 'string'
    ? [{ field, color: parseColor(value) }]
    : samples(value).map((color) => ({ field, color }));

/** Colors of the dark parts of a code. */
function inksOf(design: Colors): Tone[] {
  const { fgColor, fgGradient, eyeColor, eyeBallColor, eyeGradient, eyeColors } = design;
  const limits = limitsOf(design);
  const one = (field: string, color: string | null | undefined) =>
    color ? tones(field, color) : [];
  return [
    ...(limits === undefined
      ? fgGradient
        ? tones('fgGradient', fgGradient)
        : tones('fgColor', fgColor)
      : [{ field: 'fgColor', color: grey(luminancesOf(limits.dark.to)[1]) }]),
    ...(eyeGradient ? tones('eyeGradient', eyeGradient) : []),
    ...one('eyeColor', eyeColor),
    ...one('eyeBallColor', eyeBallColor),
    ...EYES.flatMap((eye) => [
      ...one('eyeColors', eyeColors?.[eye]?.frame),
      ...one('eyeColors', eyeColors?.[eye]?.ball),
    ]),
  ];
}

function groundsOf(design: Colors): Tone[] {
  const { bgColor, bgGradient, quietZoneColor } = design;
  const limits = limitsOf(design);
  if (limits !== undefined)
    return [{ field: 'bgColor', color: grey(luminancesOf(limits.light.from)[0]) }];
  if (quietZoneColor) return tones('bgColor', quietZoneColor);
  return bgGradient ? tones('bgGradient', bgGradient) : tones('bgColor', bgColor);
}

/**
 * Compares the lightest dark color with the darkest light one, wherever in the code they are.
 *
 * @param page color of the page behind a translucent background
 */
function worstOn(page: Color, design: Colors): WorstContrast {
  const grounds = groundsOf(design).map(({ field, color }) => ({
    field,
    reflected: luminance(over(color, page)),
    seen: over(color, page),
  }));
  const inks = inksOf(design).flatMap(({ field, color }) =>
    grounds.map(({ seen }) => ({ field, reflected: luminance(over(color, seen)) })),
  );
  const [darkest, lightest] = ends(inks);
  const [lowest, highest] = ends(grounds);
  const darkOnLight = lowest.reflected - lightest.reflected;
  const lightOnDark = highest.reflected - darkest.reflected;
  if (darkOnLight >= 0) return { signed: darkOnLight, ink: lightest.field, ground: lowest.field };
  if (lightOnDark <= 0) return { signed: lightOnDark, ink: darkest.field, ground: highest.field };
  return { signed: 0, ink: lightest.field, ground: lowest.field };
}

/** The least and the most reflecting of some colors. */
function ends<One extends { reflected: number }>(all: readonly One[]): [One, One] {
  const sorted = all.toSorted((a, b) => a.reflected - b.reflected);
  return [sorted[0]!, sorted.at(-1)!];
}

/** The contrast at the worst point on white paper. */
export const worstContrast = (design: Colors): WorstContrast => worstOn(WHITE, design);

/**
 * Signed contrast on a black page. An opaque background has the same contrast everywhere; one that
 * is light enough on paper only has none here.
 */
export function contrastOnDark(design: Colors): number {
  if (groundsOf(design).every(({ color }) => color.a === 1)) return 1;
  return worstOn(BLACK, design).signed;
}
