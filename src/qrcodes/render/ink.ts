import { type Color, parseColor } from './color.ts';

/*
 * Colors of PDF and PostScript. Greys use the black ink alone, because four inks that are not
 * exactly on top of each other blur the modules.
 */

/** Shares of cyan, magenta, yellow and black, 0 to 1. */
export type Cmyk = readonly [number, number, number, number];

/** An ink for a color of a design; a spot color is printed with an ink of its own. */
export interface Ink {
  cmyk: Cmyk;
  /** Name of a spot color, in printable ASCII. */
  spot?: string | undefined;
}

/** Inks by the color in which a design has them; other colors are converted. */
export type Inks = Readonly<Record<string, Ink>>;

/** Formats a number for PDF and PostScript. */
export const n = (value: number): string => String(Math.round(value * 1000) / 1000);

/** Formats a scale, which needs more digits than the coordinates that it multiplies. */
export const factor = (scale: number): string => String(Number(scale.toFixed(8)));

/** Formats a color component, 0 to 255, as a share. */
export const share = (value: number): string => n(value / 255);

/** Converts a color to inks without a profile: black as far as possible. */
export function cmykOf({ r, g, b }: Color): Cmyk {
  const k = 1 - Math.max(r, g, b) / 255;
  if (k === 1) return [0, 0, 0, 1];
  const of = (value: number) => (1 - value / 255 - k) / (1 - k);
  return [of(r), of(g), of(b), k];
}

/** Ink of a fill in the form `#RRGGBB`, with an opacity or without; `undefined` for RGB. */
export function inkOf(fill: string, inks: Inks | undefined): Ink | undefined {
  if (inks === undefined) return undefined;
  return inks[fill.slice(0, 7)] ?? { cmyk: cmykOf(parseColor(fill)) };
}

/**
 * Numbers and kind of a color space for a color: one for grey, three for RGB, four for CMYK.
 *
 * @param fill the color as the design has it, to find its ink
 */
export function components(color: Color, fill: string, inks: Inks | undefined) {
  const ink = inkOf(fill, inks);
  if (ink !== undefined) return { space: 'cmyk', values: ink.cmyk.map(n).join(' ') } as const;
  const { r, g, b } = color;
  if (r === g && g === b) return { space: 'gray', values: share(r) } as const;
  return { space: 'rgb', values: `${share(r)} ${share(g)} ${share(b)}` } as const;
}

/** Escapes a text for a PDF or PostScript name. */
export const nameToken = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9]/g, (character) => `#${character.charCodeAt(0).toString(16)}`);
