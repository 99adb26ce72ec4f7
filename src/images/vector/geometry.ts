import svgpath from 'svgpath';
import { Unsupported } from './unsupported.ts';

/** A matrix as in SVG: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
export type Point = readonly [x: number, y: number];

type Command = readonly ['M' | 'L', number, number] | readonly ['C', ...number[]] | readonly ['Z'];

/** Parses a length in px. @throws Unsupported for other units */
export function lengthOf(text: string | undefined, initial = 0): number {
  if (text === undefined) return initial;
  const value = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?:px)?\s*$/i.exec(text)?.[1];
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
 * Applies a list of transformations, and reduces path data to absolute commands without arcs and
 * quadratic curves.
 *
 * @throws Unsupported for broken path data
 */
export function commandsOf(data: string, transform: string): Command[] {
  const path = svgpath(data) as ReturnType<typeof svgpath> & { err?: string };
  if (path.err !== undefined && path.err !== '') throw new Unsupported(path.err);
  const commands: Command[] = [];
  path
    .transform(transform)
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

/** Returns the matrix of a list of transformations. */
export function matrixOf(transform: string): Matrix {
  const [[, e = 0, f = 0], [, a = 0, b = 0], [, c = 0, d = 0]] = commandsOf(
    'M0 0L1 0L0 1',
    transform,
  ) as unknown as [number[], number[], number[]];
  return [a - e, b - f, c - e, d - f, e, f];
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
