import type { Level } from './levels.ts';

/*
 * Maps modules to blocks of codewords. Each block corrects its own errors, so modules that an image
 * hides are counted by block (ISO/IEC 18004, 7.5 to 7.7).
 */

/** Numbers of blocks of versions 1 to 40 (ISO/IEC 18004, table 9). */
const BLOCKS: Record<Level, readonly number[]> = {
  L: [
    1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15,
    16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
  ],
  M: [
    1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25,
    26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
  ],
  Q: [
    1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34,
    35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
  ],
  H: [
    1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37,
    40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
  ],
};

/** Error-correction codewords per block of versions 1 to 40 (ISO/IEC 18004, table 9). */
const CORRECTION: Record<Level, readonly number[]> = {
  L: [
    7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30,
    26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ],
  M: [
    10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  ],
  Q: [
    13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30,
    30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ],
  H: [
    17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30,
    30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ],
};

/**
 * Modules of three finder patterns with their separators, of the format information, and the one
 * that is always dark.
 */
const FIXED_MODULES = 3 * 64 + 2 * 15 + 1;
const VERSION_INFORMATION_MODULES = 2 * 18;

/**
 * Number of codewords of a version: the modules outside function patterns, divided by eight
 * (ISO/IEC 18004, table 1).
 */
function codewordsOf(version: number): number {
  const size = 17 + 4 * version;
  const timing = 2 * (size - 16);
  const perSide = version === 1 ? 0 : Math.floor(version / 7) + 2;
  // Finder patterns take three corners; alignment patterns on the timing lines share five modules
  // with them.
  const alignment = version === 1 ? 0 : 25 * (perSide ** 2 - 3) - 2 * 5 * (perSide - 2);
  const versionInformation = version < 7 ? 0 : VERSION_INFORMATION_MODULES;
  return Math.floor((size ** 2 - FIXED_MODULES - timing - alignment - versionInformation) / 8);
}

/** Number of codewords of a version and level that hold data. */
export const dataCodewordsOf = (version: number, level: Level): number =>
  codewordsOf(version) - CORRECTION[level][version - 1]! * BLOCKS[level][version - 1]!;

/** Block structure of a QR code. */
export interface Blocks {
  count: number;
  /** Number of faulty codewords that a block can correct. */
  corrects: number;
  /** Block of each codeword, in the order of their placement. */
  blockOf: Uint8Array;
}

/**
 * Returns the blocks of a version and level. Blocks with one more data codeword come last, and all
 * are interleaved.
 */
export function blocksOf(version: number, level: Level): Blocks {
  const count = BLOCKS[level][version - 1]!;
  const correction = CORRECTION[level][version - 1]!;
  const total = codewordsOf(version);
  const data = total - correction * count;
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
  return { count, corrects: Math.floor(correction / 2), blockOf };
}

/**
 * Returns the codeword of each module, row by row; -1 for a module without one. Codewords run up
 * and down in columns of two from the bottom right, skipping the vertical timing pattern (ISO/IEC
 * 18004, 7.7.3).
 */
export function codewordMap(
  { size, isFunction }: { size: number; isFunction(row: number, column: number): boolean },
  codewords: number,
): Int16Array {
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
