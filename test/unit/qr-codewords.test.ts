import { expect } from 'chai';
import { create, type QRCode } from 'qrcode';
import { blocksOf, codewordMap } from '../../src/qrcodes/render/codewords.ts';
import { LEVELS, type Level } from '../../src/qrcodes/render/levels.ts';

/** Mask patterns by row and column (ISO/IEC 18004, table 10). */
const MASKS: ((row: number, column: number) => number)[] = [
  (row, column) => (row + column) % 2,
  (row) => row % 2,
  (_, column) => column % 3,
  (row, column) => (row + column) % 3,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2,
  (row, column) => ((row * column) % 2) + ((row * column) % 3),
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2,
];

const MASK_NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** Reads the codewords of a symbol from its modules, in the order of placement. */
function read({ modules, version, maskPattern }: QRCode, level: Level): Uint8Array {
  const { size, data, reservedBit } = modules;
  const codewords = new Uint8Array(blocksOf(version, level).blockOf.length);
  const isFunction = (row: number, column: number) => reservedBit[row * size + column] === 1;
  const matrix = { size, version, level, isFunction, isDark: () => false };
  const map = codewordMap(matrix, codewords.length);
  for (let right = size - 1, upwards = true; right > 0; right -= 2, upwards = !upwards) {
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const row = upwards ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        const codeword = map[row * size + column]!;
        if (codeword < 0) continue;
        const isMasked = MASKS[maskPattern ?? 0]!(row, column) === 0;
        const bit = (data[row * size + column] === 1) !== isMasked ? 1 : 0;
        codewords[codeword] = (codewords[codeword]! << 1) | bit;
      }
    }
  }
  return codewords;
}

/** Powers of 2 modulo 100011101 in the Galois field of 256 elements (ISO/IEC 18004, 7.5.2). */
const POWERS: number[] = [1];
while (POWERS.length < 255) {
  const next = POWERS.at(-1)! << 1;
  POWERS.push(next > 255 ? next ^ 0b1_0001_1101 : next);
}
const LOGARITHMS = new Map(POWERS.map((power, exponent) => [power, exponent]));
const times = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : POWERS[(LOGARITHMS.get(a)! + LOGARITHMS.get(b)!) % 255]!;

/** Evaluates a block as a polynomial at the roots of the generator; all are 0 without errors. */
const syndromes = (block: Uint8Array, roots: number): number[] =>
  POWERS.slice(0, roots).map((root) =>
    block.reduce((value, codeword) => times(value, root) ^ codeword, 0),
  );

describe('codewords of QR codes', () => {
  it('are those of the standard’s example: 01234567 in version 1-M (ISO/IEC 18004, annex I)', () => {
    const code = create('01234567', { errorCorrectionLevel: 'M' });
    expect(Buffer.from(read(code, 'M')).toString('hex')).to.equal(
      '10200c566180ec11ec11ec11ec11ec11a524d4c1ed36c7872c55',
    );
  });

  // Rows have version, level, codewords, blocks, and total error correction codewords (ISO/IEC
  // 18004, table 9).
  const ROWS: [version: number, level: Level, total: number, blocks: number, correction: number][] =
    [
      [1, 'L', 26, 1, 7],
      [2, 'H', 44, 1, 28],
      [5, 'Q', 134, 4, 72],
      [7, 'H', 196, 5, 130],
      [13, 'M', 532, 9, 198],
      [14, 'L', 581, 4, 120],
      [21, 'Q', 1156, 23, 644],
      [28, 'M', 1921, 26, 728],
      [35, 'L', 2876, 19, 570],
      [40, 'H', 3706, 81, 2430],
    ];
  for (const [version, level, total, blocks, correction] of ROWS) {
    it(`are divided as the standard’s table says: ${version}-${level}`, () => {
      const { count, corrects, blockOf } = blocksOf(version, level);
      expect([count, corrects, blockOf.length]).to.deep.equal([
        blocks,
        Math.floor(correction / blocks / 2),
        total,
      ]);
    });
  }

  for (const level of LEVELS) {
    it(`have no errors in versions 1 to 40 of level ${level}`, () => {
      for (let version = 1; version <= 40; version += 1) {
        const options = { version, errorCorrectionLevel: level } as const;
        const code = create('12345', { ...options, maskPattern: MASK_NUMBERS[version % 8]! });
        const codewords = read(code, level);
        const { count, corrects, blockOf } = blocksOf(version, level);
        for (let index = 0; index < count; index += 1) {
          const block = codewords.filter((_, codeword) => blockOf[codeword] === index);
          const faults = syndromes(block, 2 * corrects).filter((value) => value !== 0);
          expect(faults, `block ${index} of ${version}-${level}`).to.deep.equal([]);
        }
      }
    });
  }
});
