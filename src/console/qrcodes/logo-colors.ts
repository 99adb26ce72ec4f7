import { type Color, luminance } from '../../qrcodes/render/color.ts';

/** The pixels of an image: three bytes each of `rgb`, one of `alpha`. */
export interface LogoPixels {
  rgb: Uint8Array;
  alpha: Uint8Array;
}

/** Maximum number of colors. */
const MOST = 3;
/** Luminance at which modules on white have a comfortable contrast (grade A of ISO/IEC 15415). */
const MAX_LUMINANCE = 0.3;
/** Luminance above which a pixel belongs to the light ground of a logo. */
const LIGHT = 0.87;
/** Distance below which two colors look like one. */
const NEAR = 72;
/** Minimum share of the pixels that are not ground. Smaller areas are edges between colors. */
const MIN_SHARE = 0.04;
/** Factor by which a vivid color counts more than a grey one of the same area. */
const VIVIDNESS = 2;

/** A group of similar pixels; its color is the mean. */
interface Group {
  r: number;
  g: number;
  b: number;
  count: number;
}

/**
 * Finds up to three colors of a logo for the modules of its code, the most striking first. Colors
 * that would be too light on white are darkened; a white or transparent logo has none.
 *
 * @returns colors `#RRGGBB`
 */
export function colorsOf({ rgb, alpha }: LogoPixels): string[] {
  const groups = groupsOf(rgb, alpha);
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const colors = groups
    .filter(({ count }) => count >= total * MIN_SHARE)
    .toSorted((a, b) => weight(b) - weight(a))
    .map(({ r, g, b }) => darkened({ r, g, b, a: 1 }));
  const chosen: Color[] = [];
  for (const color of colors) {
    if (chosen.every((other) => distance(color, other) >= NEAR)) chosen.push(color);
  }
  return chosen.slice(0, MOST).map(hex);
}

/** Groups the opaque pixels that are not light, from the most frequent color on. */
function groupsOf(rgb: Uint8Array, alpha: Uint8Array): Group[] {
  const cells = new Map<number, Group>();
  for (let index = 0; index < alpha.length; index += 1) {
    if (alpha[index]! < 128) continue;
    const [r, g, b] = [rgb[index * 3]!, rgb[index * 3 + 1]!, rgb[index * 3 + 2]!];
    const cell = ((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4);
    const group = cells.get(cell);
    if (group === undefined) cells.set(cell, { r, g, b, count: 1 });
    else add(group, { r, g, b, count: 1 });
  }
  const groups: Group[] = [];
  for (const cell of [...cells.values()].toSorted((a, b) => b.count - a.count)) {
    if (luminance({ ...cell, a: 1 }) > LIGHT) continue;
    const near = groups.find((group) => distance(group, cell) < NEAR);
    if (near === undefined) groups.push(cell);
    else add(near, cell);
  }
  return groups;
}

function add(group: Group, { r, g, b, count }: Group): void {
  const sum = group.count + count;
  group.r += ((r - group.r) * count) / sum;
  group.g += ((g - group.g) * count) / sum;
  group.b += ((b - group.b) * count) / sum;
  group.count = sum;
}

/** Distance of two colors, weighted by the eye's sensitivity to their channels. */
const distance = (a: Omit<Group, 'count'>, b: Omit<Group, 'count'>): number =>
  Math.sqrt(2 * (a.r - b.r) ** 2 + 4 * (a.g - b.g) ** 2 + 3 * (a.b - b.b) ** 2) / 1.5;

function weight({ r, g, b, count }: Group): number {
  const chroma = (Math.max(r, g, b) - Math.min(r, g, b)) / 255;
  return count * (1 + VIVIDNESS * chroma);
}

/** Darkens a color, with its hue, until it has enough contrast with white. */
function darkened(color: Color): Color {
  const scaled = (factor: number): Color => ({
    r: Math.floor(color.r * factor),
    g: Math.floor(color.g * factor),
    b: Math.floor(color.b * factor),
    a: 1,
  });
  const rounded = {
    r: Math.round(color.r),
    g: Math.round(color.g),
    b: Math.round(color.b),
    a: 1,
  };
  if (luminance(rounded) <= MAX_LUMINANCE) return rounded;
  let percent = 100;
  while (luminance(scaled(percent / 100)) > MAX_LUMINANCE) percent -= 1;
  return scaled(percent / 100);
}

const hex = ({ r, g, b }: Color): string =>
  `#${[r, g, b]
    .map((part) => part.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}`;
