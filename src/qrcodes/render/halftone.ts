import { lumaOf } from './background.ts';
import { computedOf } from './computed.ts';
import type { Background } from './design.ts';
import type { SquarePixels } from './drawing-types.ts';
import { rectangle } from './geometry.ts';
import type { ModuleGrid } from './patterns/pattern.ts';

/*
 * Halftones. A module is divided into 3 x 3 cells: the middle one has the value of the module, the
 * others follow a picture as far as the module stays readable. The idea is published as "Halftone
 * QR Codes" (Chu and others, 2013).
 */

const PARTS = 3;
const MIDDLE = 4;

/** Number of cells of a module that may have the other value. */
const MOST_OTHER: Record<Background['strength'], number> = { light: 3, medium: 4, strong: 5 };
/** Preference of corners, of which a blurred middle has less than of edges. */
const CORNER = 0.15;
/** Maximum difference of a module from its picture that the next ones make up for, in cells. */
const MOST_REST = 3;
/** The same difference is divided among the next modules (Floyd and Steinberg, 1976). */
const NEXT = [
  { down: 0, right: 1, share: 7 / 16 },
  { down: 1, right: -1, share: 3 / 16 },
  { down: 1, right: 0, share: 5 / 16 },
  { down: 1, right: 1, share: 1 / 16 },
];
/** Share of the cells that become black, and that become white, when the contrast is stretched. */
const CLIPPED = 0.02;
/** Factor by which a cell differs more from its neighbors than in the picture. */
const SHARPENING = 0.8;

/** The modules of a code, and those of them that are drawn whole. */
interface HalftoneGrid extends ModuleGrid {
  isWhole(row: number, column: number): boolean;
}

/**
 * Draws modules in the form of a picture, as path data: a rectangle for runs of cells.
 *
 * @param isInverted true for modules that are lighter than their background
 */
export function halftone(
  grid: HalftoneGrid,
  picture: SquarePixels,
  { strength, isInverted }: { strength: Background['strength']; isInverted: boolean },
): string {
  const wanted = wantedInk(picture, grid.size * PARTS, isInverted);
  return pathOf(inkedCells(grid, wanted, MOST_OTHER[strength]), grid);
}

/** Returns {@link inkIn} a picture, or the result of an earlier call. */
function wantedInk(picture: SquarePixels, side: number, isInverted: boolean): Float64Array {
  const [ink] = computedOf(
    picture,
    `ink ${side} ${isInverted}`,
    () => [inkIn(picture, side, isInverted)] as const,
  );
  return ink;
}

/** Computes the ink that a picture has in each cell of a square, 0 to 1. */
function inkIn(picture: SquarePixels, side: number, isInverted: boolean): Float64Array {
  const means = meansOf(picture, side);
  const sorted = means.toSorted();
  const clipped = Math.floor(CLIPPED * sorted.length);
  const [low, high] = [sorted[clipped]!, sorted[sorted.length - 1 - clipped]!];
  const range = Math.max(high - low, 1e-6);
  const at = (y: number, x: number) =>
    means[Math.min(side - 1, Math.max(0, y)) * side + Math.min(side - 1, Math.max(0, x))]!;
  return means.map((mean, index) => {
    const [y, x] = [Math.floor(index / side), index % side];
    const around = (at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1)) / 4;
    const sharp = (mean + SHARPENING * (mean - around) - low) / range;
    const light = Math.min(1, Math.max(0, high - low < 1e-6 ? mean : sharp));
    return isInverted ? light : 1 - light;
  });
}

/** The lightness of a picture in each cell of a square, 0 to 1. */
function meansOf({ side: width, rgb }: SquarePixels, side: number): Float64Array {
  const edge = (at: number) => Math.floor((at * width) / side);
  const means = new Float64Array(side * side);
  for (let y = 0; y < side; y += 1) {
    const [top, bottom] = [edge(y), Math.max(edge(y) + 1, edge(y + 1))];
    for (let x = 0; x < side; x += 1) {
      const [left, right] = [edge(x), Math.max(edge(x) + 1, edge(x + 1))];
      let sum = 0;
      for (let row = top; row < bottom; row += 1) {
        for (let column = left; column < right; column += 1) {
          const from = (row * width + column) * 3;
          sum += lumaOf(rgb[from]!, rgb[from + 1]!, rgb[from + 2]!);
        }
      }
      means[y * side + x] = sum / (255 * (bottom - top) * (right - left));
    }
  }
  return means;
}

/** Decides which cells have ink: 1, or 0. */
function inkedCells(
  { size, isDark, isWhole }: HalftoneGrid,
  wanted: Float64Array,
  most: number,
): Uint8Array {
  const side = size * PARTS;
  const cells = new Uint8Array(side * side);
  const rests = new Float64Array(size * size);
  const places = new Int32Array(PARTS * PARTS);
  const preferences = new Float64Array(places.length);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const own = isDark(row, column) ? 1 : 0;
      let ink = rests[row * size + column]!;
      for (let part = 0; part < places.length; part += 1) {
        const down = Math.floor(part / PARTS);
        const place = (row * PARTS + down) * side + column * PARTS + (part - down * PARTS);
        const cell = wanted[place]!;
        places[part] = place;
        preferences[part] = Math.abs(cell - (1 - own)) - (part % 2 === 0 ? CORNER : 0);
        cells[place] = own;
        ink += cell;
      }
      const others = own === 1 ? places.length - ink : ink;
      const count = isWhole(row, column) ? 0 : Math.max(0, Math.min(most, Math.round(others)));
      preferences[MIDDLE] = Number.POSITIVE_INFINITY;
      for (let chosen = 0; chosen < count; chosen += 1) {
        const part = leastOf(preferences);
        cells[places[part]!] = 1 - own;
        preferences[part] = Number.POSITIVE_INFINITY;
      }
      const rest = Math.max(-MOST_REST, Math.min(MOST_REST, others - count)) * (own === 1 ? -1 : 1);
      for (const { down, right, share } of NEXT) {
        const [y, x] = [row + down, column + right];
        if (y < size && x >= 0 && x < size) rests[y * size + x]! += rest * share;
      }
    }
  }
  return cells;
}

/** Index of the least of some numbers, of which there are too few for an array to be sorted. */
function leastOf(values: Float64Array): number {
  let least = 0;
  for (let at = 1; at < values.length; at += 1) if (values[at]! < values[least]!) least = at;
  return least;
}

/** Outlines cells: a rectangle for each run, over as many rows as have the same run. */
function pathOf(cells: Uint8Array, { size, px, x0, y0 }: ModuleGrid): string {
  const side = size * PARTS;
  // The outer cells are a quarter of a module, in whole px. Equal thirds look like modules to ZBar,
  // which finds eyes among them.
  const outer = Math.floor(px / 4);
  const inset = [0, outer, px - outer] as const;
  const edge = (at: number) => Math.floor(at / PARTS) * px + inset[(at % PARTS) as 0 | 1 | 2];
  let path = '';
  // The end and the first row of the run that begins in each column; 0 without one.
  const ends = new Int32Array(side);
  const tops = new Int32Array(side);
  for (let row = 0; row <= side; row += 1) {
    const next = row === side ? new Int32Array(side) : endsOf(cells, row * side, side);
    for (let from = 0; from < side; from += 1) {
      const to = ends[from]!;
      if (to === next[from]) continue;
      if (to > 0) {
        const [left, top] = [edge(from), edge(tops[from]!)];
        path += rectangle(x0 + left, y0 + top, edge(to) - left, edge(row) - top);
      }
      ends[from] = next[from]!;
      tops[from] = row;
    }
  }
  return path;
}

/** The end of the run of inked cells that begins in each column of a row; 0 without one. */
function endsOf(cells: Uint8Array, start: number, side: number): Int32Array {
  const ends = new Int32Array(side);
  for (let from = 0; from < side; from += 1) {
    if (cells[start + from] === 0) continue;
    let to = from + 1;
    while (to < side && cells[start + to] === 1) to += 1;
    ends[from] = to;
    from = to;
  }
  return ends;
}
