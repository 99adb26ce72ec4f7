import { createRequire } from 'node:module';
import type { Level, Matrix } from './matrix.ts';

/*
 * Which module belongs to which block of codewords. Each block corrects its own errors, so that what an image hides
 * must be counted by block (ISO/IEC 18004, 7.5 to 7.7).
 */

const load = createRequire(import.meta.url);

type LevelCode = { bit: number };
const levels = load('qrcode/lib/core/error-correction-level.js') as Record<Level, LevelCode>;
const { getBlocksCount, getTotalCodewordsCount } = load(
  'qrcode/lib/core/error-correction-code.js',
) as Record<
  'getBlocksCount' | 'getTotalCodewordsCount',
  (version: number, level: LevelCode) => number
>;
const { getSymbolTotalCodewords } = load('qrcode/lib/core/utils.js') as {
  getSymbolTotalCodewords(version: number): number;
};

/** How a code is divided. */
export interface Blocks {
  count: number;
  /** Codewords with errors that one block can correct. */
  corrects: number;
  /** Block of each codeword, in the order in which they are placed. */
  blockOf: Uint8Array;
}

/** The blocks of a version and level: those with a codeword more of data come last, and all are interleaved. */
export function blocksOf(version: number, level: Level): Blocks {
  const code = levels[level];
  const count = getBlocksCount(version, code);
  const total = getSymbolTotalCodewords(version);
  const correction = getTotalCodewordsCount(version, code);
  const data = total - correction;
  const shortLength = Math.floor(data / count);
  const firstLong = count - (data % count);
  const blockOf = new Uint8Array(total);
  let at = 0;
  for (let index = 0; index <= shortLength; index += 1) {
    for (let block = index < shortLength ? 0 : firstLong; block < count; block += 1) {
      blockOf[at] = block;
      at += 1;
    }
  }
  for (; at < total; at += 1) blockOf[at] = (at - data) % count;
  return { count, corrects: Math.floor(correction / count / 2), blockOf };
}

/**
 * Codeword of each module, row by row: -1 for modules that carry none. Codewords go up and down in columns of two,
 * from the bottom right, passing over the vertical timing pattern (ISO/IEC 18004, 7.7.3).
 */
export function codewordMap({ size, isFunction }: Matrix, codewords: number): Int16Array {
  const map = new Int16Array(size * size).fill(-1);
  let bit = 0;
  let upwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const row = upwards ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (isFunction(row, column)) continue;
        const codeword = bit >> 3;
        if (codeword < codewords) map[row * size + column] = codeword;
        bit += 1;
      }
    }
    upwards = !upwards;
  }
  return map;
}
