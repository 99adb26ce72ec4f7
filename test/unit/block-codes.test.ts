import { expect } from 'chai';
import {
  acceptedCodes,
  fullMask,
  maskCodes,
  maskOfBoth,
  matchesOf,
  packAscending,
  packCodes,
  packNumbers,
  readCodes,
  readNumbers,
  sizeOf,
} from '../../src/events/store/postgres/block-codes.ts';
import { countCodes, countMarked } from '../../src/events/store/postgres/count-codes.ts';
import { seeded } from '../qr/pairwise.ts';

describe('columns of blocks', () => {
  const random = seeded(7);
  const below = (count: number) => Math.floor(random() * count);
  const SIZES = [1, 7, 8, 9, 1_001];

  for (const values of [1, 3, 15, 255, 256, 65_535, 65_536]) {
    it(`have codes of ${values} values, and masks of those that are accepted`, () => {
      for (const size of SIZES) {
        const codes = Uint32Array.from({ length: size }, () => below(values + 1));
        codes[0] = values;
        // An odd offset occurs in answers of the database.
        const packed = Buffer.concat([Buffer.of(0), packCodes(codes, values)]).subarray(1);
        expect([...readCodes(packed, size, values)]).to.deep.equal([...codes]);
        const accepts = Uint8Array.from({ length: values + 1 }, () => below(2));
        const mask = fullMask(size);
        mask[below(size)] = 0;
        const expected = Array.from(mask, (matches, at) => matches & accepts[codes[at]!]!);
        maskCodes(mask, packed, accepts);
        expect([...mask], `${size} events`).to.deep.equal(expected);
        const counts = new Uint32Array(values + 1);
        for (const [at, code] of codes.entries()) counts[code]! += expected[at]!;
        expect([...countCodes(mask, packed, values)]).to.deep.equal([...counts]);
        const marks = Uint8Array.from(mask, (matches) => matches * below(2));
        const marked = new Uint32Array(values + 1);
        for (const [at, code] of codes.entries()) marked[code]! += marks[at]!;
        const unmarked = counts.map((count, code) => count - marked[code]!);
        const [from, to] = [below(size), below(size + 1)].toSorted((a, b) => a - b) as [
          number,
          number,
        ];
        const inPart = mask.slice(from, to).reduce((sum, matches) => sum + matches, 0);
        expect(matchesOf(mask, from, to), `${from} to ${to}`).to.equal(inPart);
        expect([...maskOfBoth(mask, marks)]).to.deep.equal([...marks]);
        const both = countMarked(mask, marks, packed, values);
        expect([...both]).to.deep.equal([...unmarked, ...marked]);
      }
    });
  }

  it('have codes of the values that are accepted, by their dictionary', () => {
    const few = [3, 7, 200, 201, 40_000, 2 ** 40];
    for (const ids of [[], [-5], [7], few]) {
      const dictionary = packAscending(ids);
      expect(sizeOf(dictionary)).to.equal(ids.length);
      for (const wanted of [[], [7], [1, 200, 2 ** 40], few]) {
        const expected = [0, ...ids.map((id) => (wanted.includes(id) ? 1 : 0))];
        const accepts = acceptedCodes(dictionary, wanted, false);
        expect(accepts && [...accepts]).to.deep.equal(expected.includes(1) ? expected : undefined);
      }
      expect([...acceptedCodes(dictionary, [], true)!]).to.deep.equal([1, ...ids.map(() => 0)]);
    }
  });

  it('have no codes where all are the same', () => {
    for (const values of [0, 1]) {
      const packed = packCodes(new Uint32Array(9).fill(values), values);
      expect(packed).to.have.length(1);
      expect([...readCodes(packed, 9, values)]).to.deep.equal(Array(9).fill(values));
      const mask = fullMask(9);
      maskCodes(mask, packed, Uint8Array.of(...(values === 0 ? [0] : [1, 0])));
      expect(mask.includes(1)).to.equal(false);
    }
  });

  it('have numbers as they were packed', () => {
    const times = [1_763_790_000_123_456, 1_763_790_000_123_456, 1_763_790_000_123_999];
    const wide = [0, 127, 255, 16_640, 2_114_000, 270_549_000, 2 ** 40, 2 ** 52];
    for (const numbers of [[], [0], [-5, 3], times, wide]) {
      expect([...readNumbers(packAscending(numbers))]).to.deep.equal(numbers);
    }
    const any = [3, -2, Number.MAX_SAFE_INTEGER, 0];
    expect([...readNumbers(packNumbers(any))]).to.deep.equal(any);
    expect([...readNumbers(Buffer.alloc(0))]).to.deep.equal([]);
    expect(() => readNumbers(Buffer.of(9))).to.throw('format 9');
  });
});
