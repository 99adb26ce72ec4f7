/** A colour: red, green and blue from 0 to 255, opacity from 0 to 1. */
export interface Color {
  r: number;
  g: number;
  b: number;
  a: number;
}

const WHITE: Color = { r: 255, g: 255, b: 255, a: 1 };
const HEX = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** Why a text is no colour; `undefined` when it is one. Completes "<field> …". */
export function colorFault(
  text: string,
  { alpha = false, transparent = false }: { alpha?: boolean; transparent?: boolean } = {},
): string | undefined {
  if (text.toLowerCase() === 'transparent' && transparent) return undefined;
  const digits = HEX.exec(text)?.[1];
  if (digits === undefined) {
    return `must be a colour such as #1A73E8${transparent ? ', or transparent' : ''}`;
  }
  if (alpha || digits.length === 3 || digits.length === 6) return undefined;
  return 'must be a colour without opacity, such as #1A73E8';
}

/** A colour as it is stored: `#RRGGBB`, `#RRGGBBAA` or `transparent`. A `#` may be missing, as in queries. */
export function normaliseColor(text: string): string {
  if (text.toLowerCase() === 'transparent') return 'transparent';
  const digits = text.replace('#', '').toUpperCase();
  return `#${digits.length < 6 ? digits.replaceAll(/./g, '$&$&') : digits}`;
}

/** Reads what `normaliseColor` gives. */
export function parseColor(text: string): Color {
  if (text === 'transparent') return { ...WHITE, a: 0 };
  const part = (at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  return { r: part(1), g: part(3), b: part(5), a: text.length > 7 ? part(7) / 255 : 1 };
}

/** A colour on an opaque ground. */
export function over(top: Color, ground: Color): Color {
  const mix = (a: number, b: number) => a * top.a + b * (1 - top.a);
  return { r: mix(top.r, ground.r), g: mix(top.g, ground.g), b: mix(top.b, ground.b), a: 1 };
}

/** The colour that is seen where the ground is not ours: paper is white. */
export const onPaper = (color: Color): Color => over(color, WHITE);

/** Relative luminance, 0 to 1 (WCAG 2, "relative luminance"). */
export function luminance({ r, g, b }: Color): number {
  const linear = (value: number) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Contrast ratio, 1 to 21 (WCAG 2). */
export function contrast(a: Color, b: Color): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
