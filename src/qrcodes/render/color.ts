import colorString from 'color-string';

/** A color: red, green and blue from 0 to 255, opacity from 0 to 1. */
export interface Color {
  r: number;
  g: number;
  b: number;
  a: number;
}

const WHITE: Color = { r: 255, g: 255, b: 255, a: 1 };
/** Longer texts are no colors. */
const MOST_CHARACTERS = 60;

/** A hexadecimal color, a name or `rgb()` of CSS; a `#` may be missing, as in queries. */
function readColor(text: string): Color | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const value = text.trim().toLowerCase();
  const parts = colorString.get.rgb(value) ?? colorString.get.rgb(`#${value}`);
  // A number of nothing but points is read as none.
  if (parts === null || !parts.every(Number.isFinite)) return undefined;
  const [r = 0, g = 0, b = 0, a = 1] = parts;
  return { r: Math.round(r), g: Math.round(g), b: Math.round(b), a: Math.round(a * 255) / 255 };
}

/** Why a text is no color; `undefined` when it is one. Completes "<field> …". */
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

/** A color as it is stored: `#RRGGBB`, `#RRGGBBAA` or `transparent`. */
export function normalizeColor(text: string): string {
  if (text.trim().toLowerCase() === 'transparent') return 'transparent';
  const { r, g, b, a } = readColor(text)!;
  const parts = a === 1 ? [r, g, b] : [r, g, b, Math.round(a * 255)];
  return `#${parts
    .map((part) => part.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}`;
}

/** Reads what `normalizeColor` gives. */
export function parseColor(text: string): Color {
  if (text === 'transparent') return { ...WHITE, a: 0 };
  const part = (at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  return { r: part(1), g: part(3), b: part(5), a: text.length > 7 ? part(7) / 255 : 1 };
}

/** A color on an opaque ground. */
export function over(top: Color, ground: Color): Color {
  const mix = (a: number, b: number) => a * top.a + b * (1 - top.a);
  return { r: mix(top.r, ground.r), g: mix(top.g, ground.g), b: mix(top.b, ground.b), a: 1 };
}

/** The color that is seen where the ground is not ours: paper is white. */
export const onPaper = (color: Color): Color => over(color, WHITE);

/** Share of white light that a color reflects, 0 to 1 (WCAG 2, "relative luminance"). */
export function luminance({ r, g, b }: Color): number {
  const linear = (value: number) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Symbol contrast: the difference of what two colors reflect, 0 to 1 (ISO/IEC 15415, 7.8.3). */
export const symbolContrast = (a: Color, b: Color): number => Math.abs(luminance(a) - luminance(b));

/** Contrast ratio, 1 to 21 (WCAG 2). */
export function contrast(a: Color, b: Color): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
