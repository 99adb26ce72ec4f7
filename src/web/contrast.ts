/** A color in sRGB: red, green and blue, each 0 to 255. */
type Rgb = readonly [number, number, number];

const toRgb = (color: string): Rgb => {
  const bits = Number.parseInt(color.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 255, bits & 255];
};

const toHex = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance (WCAG 2.2). */
function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colors (`#rrggbb`), 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(toRgb(one)), luminance(toRgb(other))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Mixes two colors. @param share share of the other color, 0 to 1 */
export function mix(color: string, other: string, share: number): string {
  const [base, added] = [toRgb(color), toRgb(other)];
  const part = (at: 0 | 1 | 2) => base[at] + (added[at] - base[at]) * share;
  return toHex([part(0), part(1), part(2)]);
}

const STEPS = 50;

/**
 * Returns the nearest color with enough contrast on all backgrounds.
 *
 * @param towards black for light backgrounds, white for dark ones; that end always has enough
 *   contrast
 * @param minContrast minimum contrast, such as 4.5 for text (WCAG 2.2, 1.4.3)
 */
export function readable(
  color: string,
  grounds: readonly string[],
  towards: '#000000' | '#ffffff',
  minContrast: number,
): string {
  for (let step = 0; step < STEPS; step += 1) {
    const candidate = mix(color, towards, step / STEPS);
    if (grounds.every((ground) => contrast(candidate, ground) >= minContrast)) return candidate;
  }
  return towards;
}
