import { type Color, luminance, onPaper, over, parseColor } from './color.ts';
import type { Background, Design } from './design.ts';

/*
 * Pictures behind codes. Each px of the picture becomes light enough for the background and dark
 * enough for the modules, so that any picture gives a code with the same contrast.
 */

/** The lumas, 0 to 255, between which the modules of a code with a picture are. */
interface Limits {
  light: { from: number; to: number };
  dark: { from: number; to: number };
}

/** Limits by strength: a symbol contrast of at least 80%, 70% and 50% with black and white. */
const LIMITS: Record<Background['strength'], { light: number; dark: readonly [number, number] }> = {
  light: { light: 242, dark: [0, 16] },
  medium: { light: 231, dark: [8, 26] },
  strong: { light: 208, dark: [16, 32] },
};

/** Weights of the luma of a color (ITU-R BT.601), by which decoders tell light from dark. */
const [RED, GREEN, BLUE] = [0.299, 0.587, 0.114];

/** Luma of three parts of a color, 0 to 255. */
export const lumaOf = (r: number, g: number, b: number): number => RED * r + GREEN * g + BLUE * b;

/** Luma of a color, 0 to 255. */
export const luma = ({ r, g, b }: Color): number => lumaOf(r, g, b);

/** Step between compared colors of one luma, of 255. */
const STEP = 17;

/** The least and the most relative luminance, 0 to 1, of colors of a luma. */
export function luminancesOf(value: number): [least: number, most: number] {
  let [least, most] = [1, 0];
  for (let r = 0; r <= 255; r += STEP) {
    for (let b = 0; b <= 255; b += STEP) {
      const g = (value - RED * r - BLUE * b) / GREEN;
      if (g < 0 || g > 255) continue;
      const one = luminance({ r, g, b, a: 1 });
      least = Math.min(least, one);
      most = Math.max(most, one);
    }
  }
  return [least, most];
}

/** Colors of a design that its picture is mixed with. */
export type BackgroundColors = Pick<
  Design,
  'fgColor' | 'bgColor' | 'quietZoneColor' | 'background'
>;

/** The background color of a code on white paper. */
export const groundOf = ({ bgColor, quietZoneColor }: BackgroundColors) =>
  onPaper(parseColor(quietZoneColor ?? bgColor));

/** The same color, `#RRGGBB`. */
export function paperOf(colors: BackgroundColors): string {
  const { r, g, b } = groundOf(colors);
  return `#${[r, g, b].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/** The lumas of a code with a picture; `undefined` for one whose modules have its own colors. */
export function limitsOf(colors: BackgroundColors): Limits | undefined {
  const { background, fgColor } = colors;
  if (background?.style !== 'picture') return undefined;
  const { light, dark } = LIMITS[background.strength];
  const ground = groundOf(colors);
  const ink = luma(over(parseColor(fgColor), ground));
  const from = Math.max(dark[0], ink);
  return {
    light: { from: Math.min(light, luma(ground)), to: luma(ground) },
    dark: { from, to: Math.min(255, from + dark[1] - dark[0]) },
  };
}
