import { type Color, luminance, parseColor } from '../color.ts';

/** Luminance below which a color has no visible darker shade. */
const DARK = 0.035;

const hexOf = ({ r, g, b }: Color): string =>
  `#${[r, g, b].map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`.toUpperCase();

/** Mixes a color with black, or with white where black would not be seen. */
function shade(value: string, share: number, lightShare: number): string {
  const { r, g, b, a } = parseColor(value);
  const isDark = luminance({ r, g, b, a }) < DARK;
  const mix = (one: number) => (isDark ? one + (255 - one) * lightShare : one * (1 - share));
  return hexOf({ r: mix(r), g: mix(g), b: mix(b), a });
}

/** Color of the part of a ribbon that lies behind. */
export const tailShade = (color: string): string => shade(color, 0.2, 0.3);

/** Color of a fold. */
export const foldShade = (color: string): string => shade(color, 0.48, 0.55);
