import { type Edges, edgesOf } from './path-edges.ts';

/*
 * Shares of px that an area covers. Each edge adds to the px that it crosses, and to the next one,
 * the change of the covered share; the sum of the changes of a row up to a px is its share, as far
 * as parts of the area do not overlap inside the px.
 */

/** Steps of a covered share from 0 to 1, about as many as librsvg has. */
export const FULL = 16;

/** Rows that are added up at once, few enough for the processor's cache, and the power of two. */
const BAND = 32;
const BAND_BITS = 5;

/**
 * Receives the px of one row that an area covers.
 *
 * @param runs three numbers for each run of px: its start, its end (exclusive), and the share that
 *   is covered, from 1 to `FULL`; the next row is written over them
 * @param end end of the runs of this row
 */
export type OnRow = (y: number, runs: Int32Array, end: number) => void;

/** Bits of a word of `Coverage.#touched`, and the power of two. */
const WORD = 32;
const WORD_BITS = 5;

/** Areas in a picture, whose shares are added up in the same memory, one area after the other. */
export class Coverage {
  readonly #width: number;
  readonly #height: number;
  /** The picture's px and two more, where the changes of the last px end. */
  readonly #stride: number;
  /** Changes of the covered share in a band of rows. */
  readonly #changes: Float32Array;
  /** A bit for each px with a change, which are few. */
  readonly #touched: Int32Array;
  readonly #words: number;
  readonly #runs: Int32Array;

  constructor({ width, height }: { width: number; height: number }) {
    this.#width = width;
    this.#height = height;
    this.#stride = width + 2;
    this.#words = Math.ceil(this.#stride / WORD);
    this.#changes = new Float32Array(this.#stride * BAND);
    this.#touched = new Int32Array(this.#words * BAND);
    this.#runs = new Int32Array(3 * this.#stride);
  }

  /** Calls `onRow` for the rows of the picture that an area covers, from top to bottom. */
  cover({ path, evenOdd }: { path: string; evenOdd?: true }, onRow: OnRow): void {
    const edges = edgesOf(path);
    const top = Math.max(0, Math.floor(edges.top));
    const bottom = Math.min(this.#height, Math.ceil(edges.bottom));
    if (top >= bottom) return;
    const bands = new Bands(edges, top, bottom);
    for (let start = top, band = 0; start < bottom; start += BAND, band += 1) {
      const end = Math.min(bottom, start + BAND);
      for (let edge = bands.take(band); edge >= 0; edge = bands.next()) {
        const isLonger = this.#addEdge(edges.ends, edge, start, end);
        if (isLonger) bands.keep(edge, band + 1);
      }
      for (let y = start; y < end; y += 1) {
        const count = this.#takeRow(y - start, evenOdd === true);
        if (count > 0) onRow(y, this.#runs, count);
      }
    }
  }

  /**
   * Adds the changes by an edge between the rows `top` and `bottom`.
   *
   * @returns true if the edge goes on below
   */
  #addEdge(ends: Float64Array, at: number, top: number, bottom: number): boolean {
    const isDown = ends[at + 1]! < ends[at + 3]!;
    const upper = isDown ? at : at + 2;
    const lower = isDown ? at + 2 : at;
    const edgeTop = ends[upper + 1]!;
    const edgeBottom = ends[lower + 1]!;
    if (edgeBottom <= top) return false;
    const edgeX = ends[upper]!;
    const slope = (ends[lower]! - edgeX) / (edgeBottom - edgeTop);
    const start = edgeTop > top ? edgeTop : top;
    const end = edgeBottom < bottom ? edgeBottom : bottom;
    let x = this.#within(edgeX + slope * (start - edgeTop));
    for (let row = Math.floor(start); row < end; row += 1) {
      const from = row > start ? row : start;
      const to = row + 1 < end ? row + 1 : end;
      const next = slope === 0 ? x : this.#within(edgeX + slope * (to - edgeTop));
      const height = isDown ? to - from : from - to;
      if (x < next) this.#addPart(row - top, height, x, next);
      else this.#addPart(row - top, height, next, x);
      x = next;
    }
    return edgeBottom > bottom;
  }

  #within(x: number): number {
    return x < 0 ? 0 : x > this.#width ? this.#width : x;
  }

  /** Adds a part of an edge that crosses a height of one row between `left` and `right`. */
  #addPart(row: number, height: number, left: number, right: number): void {
    const first = Math.floor(left);
    if (right <= first + 1) {
      this.#add(row, first, height, (left + right) / 2 - first);
      return;
    }
    const perPx = height / (right - left);
    for (let x = first; x < right; x += 1) {
      const from = left > x ? left : x;
      const to = right < x + 1 ? right : x + 1;
      this.#add(row, x, (to - from) * perPx, (from + to) / 2 - x);
    }
  }

  /** Adds an edge inside a px; `beyond` is the share of the px to its left. */
  #add(row: number, x: number, height: number, beyond: number): void {
    const at = row * this.#stride + x;
    this.#changes[at]! += height * (1 - beyond);
    const words = row * this.#words;
    this.#touched[words + (x >> WORD_BITS)]! |= 1 << x;
    if (beyond === 0) return;
    this.#changes[at + 1]! += height * beyond;
    this.#touched[words + ((x + 1) >> WORD_BITS)]! |= 1 << (x + 1);
  }

  /**
   * Writes the runs of px of a row that are covered by the same share, and clears its changes.
   *
   * @returns the end of the runs
   */
  #takeRow(row: number, evenOdd: boolean): number {
    const runs = this.#runs;
    const changes = this.#changes;
    let count = 0;
    let sum = 0;
    let share = 0;
    let from = 0;
    for (let word = 0; word < this.#words; word += 1) {
      const place = row * this.#words + word;
      let rest = this.#touched[place]!;
      if (rest === 0) continue;
      this.#touched[place] = 0;
      while (rest !== 0) {
        const x = word * WORD + 31 - Math.clz32(rest & -rest);
        rest &= rest - 1;
        if (share > 0 && x > from) {
          runs[count] = from;
          runs[count + 1] = x < this.#width ? x : this.#width;
          runs[count + 2] = share;
          count += 3;
        }
        const at = row * this.#stride + x;
        sum += changes[at]!;
        changes[at] = 0;
        share = shareOf(sum, evenOdd);
        from = x;
      }
    }
    return count;
  }
}

/** The share of a px, from the number of times that an area covers it. */
function shareOf(sum: number, evenOdd: boolean): number {
  const times = sum < 0 ? -sum : sum;
  const covered = evenOdd ? Math.abs(times - 2 * Math.round(times / 2)) : times;
  return covered >= 1 ? FULL : (covered * FULL + 0.5) | 0;
}

/** The edges of an area by the band of rows in which they begin. */
class Bands {
  /** The first edge of each band, and the next one after each edge; -1 for none. */
  readonly #first: Int32Array;
  readonly #after: Int32Array;
  #next = -1;

  constructor({ ends }: Edges, top: number, bottom: number) {
    this.#first = new Int32Array(Math.ceil((bottom - top) / BAND)).fill(-1);
    this.#after = new Int32Array(ends.length / 4);
    for (let edge = ends.length - 4; edge >= 0; edge -= 4) {
      const [from, to] = [ends[edge + 1]!, ends[edge + 3]!];
      const start = from < to ? from : to;
      if (start < bottom) this.keep(edge, start > top ? (start - top) >> BAND_BITS : 0);
    }
  }

  /** Adds an edge to a band. @param edge index of its first number */
  keep(edge: number, band: number): void {
    this.#after[edge >> 2] = this.#first[band]!;
    this.#first[band] = edge;
  }

  /** Returns the first edge of a band; -1 if it has none. */
  take(band: number): number {
    return this.#go(this.#first[band]!);
  }

  /** Returns the next edge of the same band; -1 after the last one. */
  next(): number {
    return this.#go(this.#next);
  }

  /** Finds the edge after this one before it is added to another band. */
  #go(edge: number): number {
    this.#next = edge < 0 ? -1 : this.#after[edge >> 2]!;
    return edge;
  }
}
