import colorString from 'color-string';

/** A color: red, green and blue from 0 to 255, opacity from 0 to 1. */
export interface Color {
  r: number;
  g: number;
  b: number;
  a: number;
}

const WHITE: Color = { r: 255, g: 255, b: 255, a: 1 };
/** Maximum length of a color as text. */
const MAX_CHARACTERS = 60;

/** Parses a hexadecimal color, a CSS name or `rgb()`. A `#` may be missing, as in query strings. */
function readColor(text: string): Color | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const value = text.trim().toLowerCase();
  const parts = colorString.get.rgb(value) ?? colorString.get.rgb(`#${value}`);
  // A number that consists only of points is parsed as NaN.
  if (parts === null || !parts.every(Number.isFinite)) return undefined;
  const [r = 0, g = 0, b = 0, a = 1] = parts;
  return { r: Math.round(r), g: Math.round(g), b: Math.round(b), a: Math.round(a * 255) / 255 };
}

/**
 * The rule that a text breaks as a color; `undefined` if it is one. Ends the sentence "<field> …".
 */
export function colorFault(
  text: string,
  { alpha = false, transparent = false }: { alpha?: boolean; transparent?: boolean } = {},
): string | undefined {
  const color = readColor(text);
  if (color === undefined) {
    return `must be a color such as #1A73E8, rgb(26, 115, 232) or navy${transparent ? ', or transparent' : ''}`;
  }
  if (alpha || color.a === 1) return undefined;
  return 'must be a color without opacity, such as #1A73E8';
}

/** Converts a color to its stored form: `#RRGGBB`, `#RRGGBBAA` or `transparent`. */
export function normalizeColor(text: string): string {
  if (text.trim().toLowerCase() === 'transparent') return 'transparent';
  const { r, g, b, a } = readColor(text)!;
  const parts = a === 1 ? [r, g, b] : [r, g, b, Math.round(a * 255)];
  return `#${parts
    .map((part) => part.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}`;
}

/** Parses a color in its stored form. */
export function parseColor(text: string): Color {
  if (text === 'transparent') return { ...WHITE, a: 0 };
  const part = (at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  return { r: part(1), g: part(3), b: part(5), a: text.length > 7 ? part(7) / 255 : 1 };
}

/** Mixes a color with an opaque background. */
export function over(top: Color, ground: Color): Color {
  const mix = (a: number, b: number) => a * top.a + b * (1 - top.a);
  return { r: mix(top.r, ground.r), g: mix(top.g, ground.g), b: mix(top.b, ground.b), a: 1 };
}

/** Returns the visible color on an unknown background, assumed to be white paper. */
export const onPaper = (color: Color): Color => over(color, WHITE);

/** Relative luminance of a color, 0 to 1 (WCAG 2). */
export function luminance({ r, g, b }: Color): number {
  const linear = (value: number) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** The grey of a relative luminance, with fractions of the 255 steps. */
export function grey(light: number): Color {
  const value =
    255 * (light <= 0.04045 / 12.92 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055);
  return { r: value, g: value, b: value, a: 1 };
}

/** Contrast ratio, 1 to 21 (WCAG 2). */
export function contrast(a: Color, b: Color): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
