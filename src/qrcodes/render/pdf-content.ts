import type { Paint, Stroke, VectorShape } from '../../images/vector/types.ts';
import { parseColor } from './color.ts';
import { components, type Inks, inkOf, n, nameToken } from './ink.ts';
import { shadingOf } from './shading.ts';

/* Operators of the contents of PDF pages (ISO 32000-1, 8.5 and 8.6). */

/** Resources that the contents of pages need, filled while they are written. */
export interface Content {
  opacities: Set<number>;
  /** Names of shadings by their dictionaries. */
  shadings: Map<string, string>;
  inks: Inks | undefined;
}

/** Converts path data to operators: `M1 2` becomes `1 2 m`. */
export function operators(path: string, names: Record<string, string>): string {
  return path.replaceAll(
    /([MLCZ])([^MLCZ]*)/g,
    (_, command: string, numbers: string) =>
      `${numbers === '' ? '' : `${numbers} `}${names[command]}\n`,
  );
}

const NAMES = { M: 'm', L: 'l', C: 'c', Z: 'h' };

/** Writes the operators that fill a shape and draw its line. */
export function paint({ path, fill, evenOdd, stroke }: VectorShape, content: Content): string {
  const along = operators(path, NAMES);
  return [
    fill === undefined ? '' : filled(along, fill, evenOdd === true ? '*' : '', content),
    stroke === undefined
      ? ''
      : `${lineState(stroke)}${colorState(stroke.color, content, STROKE)}${along}S\n`,
  ].join('');
}

/** Writes the operators that limit what follows to a path. */
export const clipTo = (path: string): string => `${operators(path, NAMES)}W n\n`;

function filled(along: string, fill: Paint, rule: string, content: Content): string {
  if (typeof fill === 'string') return `${colorState(fill, content, FILL)}${along}f${rule}\n`;
  const dictionary = shadingOf(fill, content.inks);
  const name = content.shadings.get(dictionary) ?? `H${content.shadings.size}`;
  content.shadings.set(dictionary, name);
  return `/A255 gs q\n${along}W${rule} n\n/${name} sh Q\n`;
}

const FILL = { gray: 'g', rgb: 'rg', cmyk: 'k', space: 'cs', value: 'scn' };
const STROKE = { gray: 'G', rgb: 'RG', cmyk: 'K', space: 'CS', value: 'SCN' };

function colorState(value: string, { opacities, inks }: Content, names: typeof FILL): string {
  const color = parseColor(value);
  opacities.add(color.a);
  const { space, values } = components(color, value, inks);
  const spot = inkOf(value, inks)?.spot;
  const set =
    spot === undefined
      ? `${values} ${names[space]}`
      : `/${spaceName(spot)} ${names.space} 1 ${names.value}`;
  return `/A${Math.round(color.a * 255)} gs ${set}\n`;
}

/** Resource name of the color space of a spot color. */
export const spaceName = (spot: string): string => `S${nameToken(spot)}`;

/** Numbers of line ends and corners, which PDF and PostScript share. */
export const CAPS = { butt: 0, round: 1, square: 2 };
export const JOINS = { miter: 0, round: 1, bevel: 2 };

const lineState = ({ width, cap, join, miterLimit, dashes }: Stroke): string =>
  `${n(width)} w ${CAPS[cap]} J ${JOINS[join]} j ${n(Math.max(1, miterLimit))} M [${dashes.map(n).join(' ')}] 0 d\n`;
