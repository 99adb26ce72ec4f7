import { type Edges, edgesOf } from './path-edges.ts';

/*
 * Shares of px that an area covers. Each edge adds to the px that it crosses, and to the next one,
 * the change of the covered share; the sum of the changes of a row up to a px is its share, as far
 * as parts of the area do not overlap inside the px.
 */

/** Steps of a covered share from 0 to 1, about as many as librsvg has. */
export const FULL = 16;

/** Rows that are added up at once, few enough for the processor's cache. */
const BAND = 32;

/**
 * Receives px of one row that an area covers by the same share.
 *
 * @param to end, exclusive
 * @param share from 1 to `FULL`
 */
export type OnRun = (y: number, from: number, to: number, share: number) => void;

/** Calls `onRun` for the px of a picture that an area covers, rows from top to bottom. */
export function cover(
  { path, evenOdd }: { path: string; evenOdd?: true },
  { width, height }: { width: number; height: number },
  onRun: OnRun,
): void {
  const edges = edgesOf(path);
  const top = Math.max(0, Math.floor(edges.top));
  const bottom = Math.min(height, Math.ceil(edges.bottom));
  const changes = new Changes(width);
  for (let start = top; start < bottom; start += BAND) {
    const end = Math.min(bottom, start + BAND);
    changes.addEdges(edges, start, end);
    for (let y = start; y < end; y += 1) {
      changes.takeRow(y - start, (from, to, sum) => {
        const share = shareOf(sum, evenOdd === true);
        if (share > 0) onRun(y, from, to, share);
      });
    }
  }
}

/** The share of a px, from the number of times that an area covers it. */
function shareOf(sum: number, evenOdd: boolean): number {
  const times = sum < 0 ? -sum : sum;
  const covered = evenOdd ? Math.abs(times - 2 * Math.round(times / 2)) : times;
  return covered >= 1 ? FULL : Math.round(covered * FULL);
}

/** Bits of a word of `Changes.#touched`, and the power of two. */
const WORD = 32;
const WORD_BITS = 5;

/** Changes of the covered share in a band of rows. */
class Changes {
  readonly #width: number;
  /** The picture's px and two more, where the changes of the last px end. */
  readonly #stride: number;
  readonly #changes: Float32Array;
  /** A bit for each px with a change, which are few. */
  readonly #touched: Int32Array;
  readonly #words: number;

  constructor(width: number) {
    this.#width = width;
    this.#stride = width + 2;
    this.#words = Math.ceil(this.#stride / WORD);
    this.#changes = new Float32Array(this.#stride * BAND);
    this.#touched = new Int32Array(this.#words * BAND);
  }

  /** Adds the changes by edges between the rows `top` and `bottom`. */
  addEdges({ ends }: Edges, top: number, bottom: number): void {
    for (let at = 0; at < ends.length; at += 4) {
      const isDown = ends[at + 1]! < ends[at + 3]!;
      const upper = isDown ? at : at + 2;
      const lower = isDown ? at + 2 : at;
      const edgeTop = ends[upper + 1]!;
      const edgeBottom = ends[lower + 1]!;
      if (edgeBottom <= top || edgeTop >= bottom) continue;
      const edgeX = ends[upper]!;
      const slope = (ends[lower]! - edgeX) / (edgeBottom - edgeTop);
      const start = edgeTop > top ? edgeTop : top;
      const end = edgeBottom < bottom ? edgeBottom : bottom;
      let x = this.#within(edgeX + slope * (start - edgeTop));
      for (let row = Math.floor(start); row < end; row += 1) {
        const from = row > start ? row : start;
        const to = row + 1 < end ? row + 1 : end;
        const next = this.#within(edgeX + slope * (to - edgeTop));
        const height = isDown ? to - from : from - to;
        if (x < next) this.#addEdge(row - top, height, x, next);
        else this.#addEdge(row - top, height, next, x);
        x = next;
      }
    }
  }

  #within(x: number): number {
    return x < 0 ? 0 : x > this.#width ? this.#width : x;
  }

  /** Adds an edge that crosses a height of one row between `left` and `right`. */
  #addEdge(row: number, height: number, left: number, right: number): void {
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
    this.#changes[at + 1]! += height * beyond;
    const words = row * this.#words;
    this.#touched[words + (x >> WORD_BITS)]! |= 1 << x;
    this.#touched[words + ((x + 1) >> WORD_BITS)]! |= 1 << (x + 1);
  }

  /** Calls a function for runs of px with the same sum of changes, and clears the row. */
  takeRow(row: number, onRun: (from: number, to: number, sum: number) => void): void {
    let sum = 0;
    let from = 0;
    for (let word = 0; word < this.#words; word += 1) {
      const place = row * this.#words + word;
      let rest = this.#touched[place]!;
      this.#touched[place] = 0;
      while (rest !== 0) {
        const x = word * WORD + 31 - Math.clz32(rest & -rest);
        rest &= rest - 1;
        if (x > from) onRun(from, x < this.#width ? x : this.#width, sum);
        const at = row * this.#stride + x;
        sum += this.#changes[at]!;
        this.#changes[at] = 0;
        from = x;
      }
    }
  }
}
