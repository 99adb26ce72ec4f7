import { expect } from 'chai';
import {
  acceptedCodes,
  allEvents,
  countCodes,
  countMarked,
  divideEvents,
  findAmong,
  findEvents,
  Marks,
  NO_MARKS,
  packCodes,
  readCodes,
  roomFor,
} from '../../src/events/store/postgres/block-codes.ts';
import {
  packAscending,
  packNumbers,
  placeAmong,
  readNumbers,
  sizeOf,
} from '../../src/events/store/postgres/block-numbers.ts';
import { seeded } from '../qr/pairwise.ts';

describe('columns of blocks', () => {
  const random = seeded(7);
  const below = (count: number) => Math.floor(random() * count);
  const SIZES = [1, 7, 8, 9, 1_001];

  for (const values of [1, 3, 15, 255, 256, 65_535, 65_536]) {
    it(`have codes of ${values} values, and events of those that are accepted`, () => {
      for (const size of SIZES) {
        const codes = Uint32Array.from({ length: size }, () => below(values + 1));
        codes[0] = values;
        // An odd offset occurs in answers of the database.
        const packed = Buffer.concat([Buffer.of(0), packCodes(codes, values)]).subarray(1);
        expect([...readCodes(packed, size, values)]).to.deep.equal([...codes]);
        const accepts = Uint8Array.from({ length: values + 1 }, () => below(2));
        const isAccepted = (at: number) => accepts[codes[at]!] === 1;
        const all = allEvents([0, size], roomFor(size));
        expect([...all]).to.deep.equal(Array.from(codes, (_, at) => at));
        const found = findEvents(packed, [0, size], accepts, roomFor(size));
        expect([...found], `${size} events`).to.deep.equal([...all].filter(isAccepted));
        for (let n = 0; n < 20; n += 1) {
          const from = below(size + 1);
          const range = [from, from + below(size + 1 - from)] as const;
          const within = [...all].slice(...range);
          expect([...allEvents(range, roomFor(size))]).to.deep.equal(within);
          const expected = within.filter(isAccepted);
          const foundWithin = findEvents(packed, range, accepts, roomFor(size));
          expect([...foundWithin], range.join(' to ')).to.deep.equal(expected);
        }
        const some = all.filter(() => below(2) === 1);
        const among = findAmong(some, packed, accepts, roomFor(size));
        expect([...among]).to.deep.equal([...some].filter(isAccepted));
        for (const events of [all, some, among]) {
          const counts = new Uint32Array(values + 1);
          for (const at of events) counts[codes[at]!]! += 1;
          expect([...countCodes(events, packed, values)]).to.deep.equal([...counts]);
          for (const share of [0, 0.5, 1]) {
            const isMarked = Uint32Array.from(codes, () => (random() < share ? 1 : 0));
            const single = Math.max(...isMarked);
            const marks = new Marks(packCodes(isMarked, single), single);
            const pairs = new Uint32Array(2 * (values + 1));
            for (const at of events) pairs[2 * codes[at]! + isMarked[at]!]! += 1;
            const read = countMarked(events, packed, values, marks);
            expect(Buffer.from(read.buffer).equals(Buffer.from(pairs.buffer))).to.equal(true);
            const marked = [...events].filter((at) => isMarked[at] === 1);
            expect(marks.count(events)).to.equal(marked.length);
          }
          const divided = divideEvents(events, readCodes(packed, size, values), values);
          expect(divided.map(({ length }) => length)).to.deep.equal([...counts]);
          const sorted = [...events].toSorted((one, other) => codes[one]! - codes[other]!);
          expect(divided.flatMap((part) => [...part])).to.deep.equal(sorted);
        }
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
      const nine = allEvents([0, 9], roomFor(9));
      const none = Uint8Array.of(...(values === 0 ? [0] : [1, 0]));
      expect([...findEvents(packed, [0, 9], none, roomFor(9))]).to.deep.equal([]);
      expect([...findAmong(nine, packed, none, roomFor(9))]).to.deep.equal([]);
      const only = Uint8Array.of(...(values === 0 ? [1] : [0, 1]));
      expect([...findEvents(packed, [0, 9], only, roomFor(9))]).to.deep.equal([...nine]);
      const marks = new Marks(packed, values);
      expect([...countMarked(nine, packed, values, marks)]).to.deep.equal(
        values === 0 ? [9, 0] : [0, 0, 0, 9],
      );
    }
    expect(NO_MARKS.of(8)).to.equal(0);
    expect(() => new Marks(Buffer.of(2), 2)).to.throw('A mark is one value, not 2');
  });

  it('have numbers as they were packed', () => {
    const times = [1_763_790_000_123_456, 1_763_790_000_123_456, 1_763_790_000_123_999];
    const wide = [0, 127, 255, 16_640, 2_114_000, 270_549_000, 2 ** 40, 2 ** 52];
    for (const numbers of [[], [0], [-5, 3], times, wide]) {
      const packed = packAscending(numbers);
      expect([...readNumbers(packed)]).to.deep.equal(numbers);
      for (const one of [-9, ...numbers, ...numbers.map((number) => number + 1)]) {
        const place = numbers.findIndex((number) => number >= one);
        expect(placeAmong(packed, one)).to.equal(place === -1 ? numbers.length : place);
      }
    }
    const any = [3, -2, Number.MAX_SAFE_INTEGER, 0];
    expect([...readNumbers(packNumbers(any))]).to.deep.equal(any);
    expect([...readNumbers(Buffer.alloc(0))]).to.deep.equal([]);
    expect(() => readNumbers(Buffer.of(9))).to.throw('format 9');
  });
});
