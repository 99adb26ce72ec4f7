import { addressOf } from './image.ts';

/** A symbol, in a square of 24 by 24: lines with round ends, or a filled area. */
interface Symbol {
  label: string;
  lines?: string;
  area?: string;
}

/** Width of lines, which stay visible in a small code. */
const LINE = 2.4;

/** Symbols of known things, drawn for this service. */
const SYMBOLS = {
  wifi: {
    label: 'Wi-Fi',
    lines: 'M2.5 9.5a13.5 13.5 0 0 1 19 0M6 13.3a8.5 8.5 0 0 1 12 0M9.4 17a3.7 3.7 0 0 1 5.2 0',
    area: 'M12 18.6a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2z',
  },
  mail: { label: 'Email', lines: 'M3 5.5h18v13H3zM3.6 6.5L12 13l8.4-6.5' },
  phone: {
    label: 'Phone',
    area: 'M6.6 3C5 3 3.4 4.3 3.4 6.3 3.4 14 10 20.6 17.7 20.6c2 0 3.3-1.6 3.3-3.2v-2.6l-4.9-1.7-2 2.3a13 13 0 0 1-5.5-5.5l2.3-2L9.2 3z',
  },
  pin: {
    label: 'Map pin',
    area: 'M12 2a7.5 7.5 0 0 0-7.5 7.5C4.5 15 12 22.5 12 22.5S19.5 15 19.5 9.5A7.5 7.5 0 0 0 12 2zm0 4.7a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6z',
  },
  cart: {
    label: 'Shopping cart',
    lines: 'M1.5 3.5h3l2.6 11.8h11.2l2.4-8.6H5.4',
    area: 'M8.8 18a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8zM17 18a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8z',
  },
  calendar: {
    label: 'Calendar',
    lines: 'M4 5.5h16V20H4zM8 2.5v5M16 2.5v5M4 10.5h16',
  },
  play: { label: 'Play', area: 'M6.5 3.8v16.4L20.5 12z' },
  heart: {
    label: 'Heart',
    area: 'M12 21C5.5 16 2.5 12.5 2.5 8.7 2.5 5.8 4.7 3.8 7.3 3.8c1.9 0 3.6 1 4.7 2.7 1.1-1.7 2.8-2.7 4.7-2.7 2.6 0 4.8 2 4.8 4.9C21.5 12.5 18.5 16 12 21z',
  },
  star: {
    label: 'Star',
    area: 'M12 2.2l3 6.4 6.9.9-5.1 4.8 1.3 6.9L12 17.8l-6.1 3.4 1.3-6.9L2.1 9.5 9 8.6z',
  },
  chat: {
    label: 'Chat',
    area: 'M5.5 3.5h13A2.5 2.5 0 0 1 21 6v8.5a2.5 2.5 0 0 1-2.5 2.5H12l-5 4.5V17H5.5A2.5 2.5 0 0 1 3 14.5V6a2.5 2.5 0 0 1 2.5-2.5z',
  },
  camera: {
    label: 'Camera',
    lines:
      'M7 3.5h10A3.5 3.5 0 0 1 20.5 7v10a3.5 3.5 0 0 1-3.5 3.5H7A3.5 3.5 0 0 1 3.5 17V7A3.5 3.5 0 0 1 7 3.5zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
    area: 'M17.2 5.6a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6z',
  },
  plane: { label: 'Paper plane', area: 'M2.5 11.3L22 3l-4.5 18-5-5.5-3 3v-5.2L17.5 7l-10 6z' },
  f: { label: 'Letter f', lines: 'M16 3.5h-1.5A3.5 3.5 0 0 0 11 7v14.5M7.5 11.5h7.5' },
  in: {
    label: 'Letters in',
    lines: 'M5.5 10v10M10.5 20V10M10.5 14.5a4.2 4.2 0 0 1 8.4 0V20',
    area: 'M5.5 3.7a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z',
  },
  x: { label: 'Letter X', lines: 'M5 4.5l14 15M19 4.5l-14 15' },
  note: {
    label: 'Music note',
    lines: 'M13.5 3.5v13M13.5 3.5c.5 3 2.5 4.8 5.5 5',
    area: 'M9.8 13a3.7 3.7 0 1 0 0 7.4 3.7 3.7 0 0 0 0-7.4z',
  },
} as const satisfies Record<string, Symbol>;

export type MarkName = keyof typeof SYMBOLS;

/** Names of the marks, in the order of the choice. */
export const MARK_NAMES = Object.keys(SYMBOLS) as MarkName[];

/** Label of a mark. */
export const markLabel = (name: MarkName): string => SYMBOLS[name].label;

/**
 * Draws a mark as the `data:` URI of an SVG: a white symbol on a square with round corners, which
 * is stored like any other logo.
 *
 * @param color of the square: `#RRGGBB`
 */
export function markAddress(name: MarkName, color: string): string {
  const { lines, area }: Symbol = SYMBOLS[name];
  return addressOf(
    [
      '<svg xmlns="http://www.w3.org/2000/svg" width="360" height="360" viewBox="-6 -6 36 36">',
      `<rect x="-6" y="-6" width="36" height="36" rx="8" fill="${color}"/>`,
      area === undefined ? '' : `<path d="${area}" fill="#FFFFFF" fill-rule="evenodd"/>`,
      lines === undefined
        ? ''
        : `<path d="${lines}" fill="none" stroke="#FFFFFF" stroke-width="${LINE}" stroke-linecap="round" stroke-linejoin="round"/>`,
      '</svg>',
    ].join(''),
  );
}
