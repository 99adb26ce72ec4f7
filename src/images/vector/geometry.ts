import svgpath from 'svgpath';
import { Unsupported } from './unsupported.ts';

/** A matrix as in SVG: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
export type Point = readonly [x: number, y: number];

type Command = readonly ['M' | 'L', number, number] | readonly ['C', ...number[]] | readonly ['Z'];

const LENGTH = /^\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(?:px)?\s*$/i;
/** Maximum length of the text of a number. */
const MAX_NUMBER = 40;

/** Parses a length in px. @throws Unsupported for other units */
export function lengthOf(text: string | undefined, initial = 0): number {
  if (text === undefined) return initial;
  if (text.length > MAX_NUMBER) throw new Unsupported('length');
  const value = LENGTH.exec(text)?.[1];
  if (value === undefined) throw new Unsupported(`length ${text}`);
  return Number(value);
}

/** Parses a list of numbers, such as the points of a polygon. @throws Unsupported */
export function numbersOf(text: string): number[] {
  const numbers = text
    .trim()
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number);
  if (!numbers.every(Number.isFinite)) throw new Unsupported(`numbers ${text}`);
  return numbers;
}

/** Returns the path data of a basic shape. @throws Unsupported for a broken one */
export function pathOf(name: string, attributes: Readonly<Record<string, string>>): string {
  const at = (field: string, initial?: number) => lengthOf(attributes[field], initial);
  switch (name) {
    case 'path':
      return attributes['d'] ?? '';
    case 'rect':
      return rectangle(at('x'), at('y'), at('width'), at('height'), radiiOf(attributes));
    case 'circle':
      return ellipse(at('cx'), at('cy'), at('r'), at('r'));
    case 'ellipse':
      return ellipse(at('cx'), at('cy'), at('rx'), at('ry'));
    case 'line':
      return `M${at('x1')} ${at('y1')}L${at('x2')} ${at('y2')}`;
    default: {
      const points = numbersOf(attributes['points'] ?? '');
      if (points.length % 2 === 1) throw new Unsupported('points');
      if (points.length === 0) return '';
      return `M${points.join(' ')}${name === 'polygon' ? 'Z' : ''}`;
    }
  }
}

function radiiOf(attributes: Readonly<Record<string, string>>): Point {
  const { rx, ry } = attributes;
  const radius = (one?: string, other?: string) => lengthOf(one ?? other);
  return [radius(rx, ry), radius(ry, rx)];
}

function rectangle(x: number, y: number, w: number, h: number, [rx, ry]: Point): string {
  if (!(w > 0 && h > 0)) return '';
  const a = Math.min(rx, w / 2);
  const b = Math.min(ry, h / 2);
  if (a <= 0 || b <= 0) return `M${x} ${y}h${w}v${h}h${-w}z`;
  const arc = (dx: number, dy: number) => `a${a} ${b} 0 0 1 ${dx} ${dy}`;
  return `M${x + a} ${y}h${w - 2 * a}${arc(a, b)}v${h - 2 * b}${arc(-a, b)}h${2 * a - w}${arc(-a, -b)}v${2 * b - h}${arc(a, -b)}z`;
}

function ellipse(cx: number, cy: number, rx: number, ry: number): string {
  if (!(rx > 0 && ry > 0)) return '';
  const arc = (dx: number, dy: number) => `a${rx} ${ry} 0 0 1 ${dx} ${dy}`;
  return `M${cx + rx} ${cy}${arc(-rx, ry)}${arc(-rx, -ry)}${arc(rx, -ry)}${arc(rx, ry)}z`;
}

/**
 * Applies a transformation, and reduces path data to absolute commands without arcs and quadratic
 * curves.
 *
 * @throws Unsupported for broken path data
 */
export function commandsOf(data: string, matrix: Matrix): Command[] {
  const path = svgpath(data) as ReturnType<typeof svgpath> & { err?: string };
  if (path.err !== undefined && path.err !== '') throw new Unsupported(path.err);
  const commands: Command[] = [];
  path
    .matrix([...matrix])
    .abs()
    .unarc()
    .unshort()
    .iterate(([name, ...numbers], _index, x, y) => {
      if (!numbers.every(Number.isFinite)) throw new Unsupported('path data');
      const [p = 0, q = 0, r = 0, s = 0] = numbers;
      if (name === 'M' || name === 'L') commands.push([name, p, q]);
      else if (name === 'H') commands.push(['L', p, y]);
      else if (name === 'V') commands.push(['L', x, p]);
      else if (name === 'C') commands.push(['C', ...numbers]);
      else if (name === 'Q') commands.push(['C', ...cubic([x, y], [p, q], [r, s])]);
      else if (name === 'Z' || name === 'z') commands.push(['Z']);
      else throw new Unsupported(`command ${name}`);
    });
  return commands;
}

/** Control points of the cubic curve that equals a quadratic one. */
function cubic([x, y]: Point, [p, q]: Point, [r, s]: Point): number[] {
  const near = (from: number, to: number) => from + (2 / 3) * (to - from);
  return [near(x, p), near(y, q), near(r, p), near(s, q), r, s];
}

/** Writes commands as path data with two decimals. */
export const writeCommands = (commands: readonly Command[]): string =>
  commands
    .map(([name, ...numbers]) => name + numbers.map((one) => Math.round(one * 100) / 100).join(' '))
    .join('');

/** The transformation that changes nothing. */
export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the transformation that applies `inner` first. */
export const multiply = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  a * g + c * h,
  b * g + d * h,
  a * i + c * j,
  b * i + d * j,
  a * k + c * l + e,
  b * k + d * l + f,
];

/** The start of a transformation in a list, and the start of a number (SVG 1.1, 7.6). */
const FUNCTION = /[\s,]*(matrix|translate|scale|rotate|skewX|skewY)\s*\(([^()]*)\)\s*/y;
const ARGUMENT = /[\s,]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)[\s,]*/iy;
/** Maximum length of a list of transformations. */
const MAX_TRANSFORM = 1_000;

/** Parses a list of transformations. @throws Unsupported for one that is not understood */
export function transformOf(text = ''): Matrix {
  if (text.length > MAX_TRANSFORM) throw new Unsupported('transform');
  let matrix = IDENTITY;
  for (let at = 0; at < text.trimEnd().length; ) {
    FUNCTION.lastIndex = at;
    const [whole, name = '', list = ''] = FUNCTION.exec(text) ?? [];
    if (whole === undefined) throw new Unsupported(`transform ${text}`);
    at += whole.length;
    matrix = multiply(matrix, functionOf(name, argumentsOf(list)));
  }
  return matrix;
}

function argumentsOf(list: string): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < list.trimEnd().length; ) {
    ARGUMENT.lastIndex = at;
    const [whole, number] = ARGUMENT.exec(list) ?? [];
    if (whole === undefined) throw new Unsupported(`transform (${list})`);
    at += whole.length;
    numbers.push(Number(number));
  }
  return numbers;
}

function functionOf(name: string, numbers: readonly number[]): Matrix {
  const [p = 0, q, x, y, e, f] = numbers;
  const slope = Math.tan((p * Math.PI) / 180);
  switch (`${name} ${numbers.length}`) {
    case 'matrix 6':
      return [p, q!, x!, y!, e!, f!];
    case 'translate 1':
    case 'translate 2':
      return [1, 0, 0, 1, p, q ?? 0];
    case 'scale 1':
    case 'scale 2':
      return [p, 0, 0, q ?? p, 0, 0];
    case 'rotate 1':
      return rotation(p);
    case 'rotate 3':
      return multiply(multiply([1, 0, 0, 1, q!, x!], rotation(p)), [1, 0, 0, 1, -q!, -x!]);
    case 'skewX 1':
      return [1, 0, slope, 1, 0, 0];
    case 'skewY 1':
      return [1, slope, 0, 1, 0, 0];
    default:
      throw new Unsupported(`transform ${name}`);
  }
}

function rotation(degrees: number): Matrix {
  const angle = (degrees * Math.PI) / 180;
  return [Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0];
}

export const apply = ([a, b, c, d, e, f]: Matrix, [x, y]: Point): Point => [
  a * x + c * y + e,
  b * x + d * y + f,
];

/** The factor of a matrix that scales all directions alike. @throws Unsupported for another one */
export function scaleOf([a, b, c, d]: Matrix): number {
  const [first, second] = [Math.hypot(a, b), Math.hypot(c, d)];
  const isSimilar =
    Math.abs(first - second) <= 1e-3 * first && Math.abs(a * c + b * d) <= 1e-3 * first * second;
  if (!isSimilar || first === 0) throw new Unsupported('a transformation that distorts');
  return first;
}

/** A bounding box. */
export interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the exact bounding box of commands. */
export function boundsOf(commands: readonly Command[]): Bounds {
  const xs: number[] = [];
  const ys: number[] = [];
  let [x, y] = [0, 0];
  for (const [, ...numbers] of commands) {
    if (numbers.length === 0) continue;
    const [p = 0, q = 0, r = 0, s = 0, u = p, v = q] = numbers;
    const isCurve = numbers.length === 6;
    xs.push(u, ...(isCurve ? extremes(x, p, r, u) : []));
    ys.push(v, ...(isCurve ? extremes(y, q, s, v) : []));
    [x, y] = [u, v];
  }
  const [left, top] = [min(xs), min(ys)];
  return {
    x: left,
    y: top,
    width: -min(xs.map((one) => -one)) - left,
    height: -min(ys.map((one) => -one)) - top,
  };
}

/** Minimum of a list that may be too long for the arguments of a call. */
const min = (values: readonly number[]): number =>
  values.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);

/** Values of a cubic Bézier curve where its derivative is zero. */
function extremes(p0: number, p1: number, p2: number, p3: number): number[] {
  const a = -p0 + 3 * p1 - 3 * p2 + p3;
  const b = 2 * (p0 - 2 * p1 + p2);
  const c = p1 - p0;
  const root = Math.sqrt(b * b - 4 * a * c);
  const times = Math.abs(a) < 1e-9 ? [-c / b] : [(-b + root) / (2 * a), (-b - root) / (2 * a)];
  return times.filter((t) => t > 0 && t < 1).map((t) => p0 + t * (3 * c + t * (1.5 * b + t * a)));
}
