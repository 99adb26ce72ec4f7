import { expect } from 'chai';
import {
  Counts,
  readCounts,
  readVisited,
  totalOf,
} from '../../src/events/store/postgres/counts.ts';
import type { Amount } from '../../src/events/store/postgres/varints.ts';
import { seeded } from '../qr/pairwise.ts';
import { entriesOf, unpacked } from '../support/packed-counts.ts';

describe('counts in their stored format', () => {
  const random = seeded(5);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const packed = (entries: readonly [number, number, Amount?][]) => {
    const counts = new Counts();
    for (const entry of entries) counts.add(...entry);
    return counts.pack();
  };

  it('are read as they were written, in the order of their ids', () => {
    const ids = [0, 1, 95, 96, 127, 128, 16_384, 2 ** 31, 2 ** 32 + 5, 2 ** 53 - 1];
    const amounts: Amount[] = [
      0,
      1,
      -1,
      2 ** 47,
      -(2 ** 48),
      Number.MAX_SAFE_INTEGER,
      2n ** 63n - 1n,
      -(2n ** 70n),
    ];
    const entries = ids.map((id): [number, number, Amount] => [
      id,
      pick([1, -1, 63, 64, -64, -65, 1_000_000, 2 ** 40]),
      pick(amounts),
    ]);
    expect(entriesOf(packed(entries.toReversed())!)).to.deep.equal(entries);
    const total = entries.reduce((sum, [, count]) => sum + count, 0);
    const amount = entries.reduce((sum, [, , ofEntry]) => sum + BigInt(ofEntry), 0n);
    const totals = totalOf(packed(entries)!);
    expect({ ...totals, amount: BigInt(totals.amount) }).to.deep.equal({ count: total, amount });
  });

  it('sum up any number of counts of the same ids', () => {
    const counts = new Counts();
    const expected = new Map<number, number>();
    for (let n = 0; n < 20_000; n += 1) {
      const id = Math.floor(random() ** 3 * 10_000) * pick([1, 96, 2 ** 35]);
      counts.add(id, 2);
      expected.set(id, (expected.get(id) ?? 0) + 2);
    }
    const sums = entriesOf(counts.pack()!).map(([id, count]) => [id, count] as const);
    expect(sums).to.deep.equal([...expected].toSorted(([a], [b]) => a - b));
    expect(counts.size).to.equal(expected.size);
  });

  it('sum up amounts exactly, beyond 2^53 too', () => {
    const counts = new Counts();
    for (let n = 0; n < 3; n += 1) counts.add(7, 1, Number.MAX_SAFE_INTEGER);
    expect(counts.amount(7)).to.equal(3n * (2n ** 53n - 1n));
    counts.add(7, -2, -2n * (2n ** 53n - 1n));
    expect(unpacked(counts.pack()!).amount(7)).to.equal(Number.MAX_SAFE_INTEGER);
  });

  it('leave out what has been taken out, and take the same bytes whatever was added before', () => {
    expect(
      packed([
        [3, 1, 5],
        [3, -1, -5],
      ]),
    ).to.equal(undefined);
    expect(
      packed([
        [3, 1],
        [4, 1, 5],
        [4, -1, -5],
      ]),
    ).to.deep.equal(packed([[3, 1]]));
    expect(packed([[3, 1]])).to.have.length(3);
  });

  it('are read together with their visitors', () => {
    for (let round = 0; round < 200; round += 1) {
      const counts = new Counts();
      const expected = new Map<number, [count: number, amount: number, visitors: number]>();
      for (let n = 0; n < 40; n += 1) {
        const id = Math.floor(random() * 300);
        const [amount, visitors] = [pick([0, 5]), pick([0, 0, 1])];
        counts.add(id, 1, amount, visitors);
        const sums = expected.get(id) ?? [0, 0, 0];
        expected.set(id, [sums[0] + 1, sums[1] + amount, sums[2] + visitors]);
      }
      const read: [number, [number, Amount, number]][] = [];
      readVisited(counts.pack()!, counts.packVisitors() ?? null, (id, ...sums) => {
        read.push([id, sums]);
      });
      expect(read).to.deep.equal([...expected].toSorted(([a], [b]) => a - b));
      const copy = new Counts();
      for (const [id] of read) copy.addOf(counts, id, id + 1_000);
      for (const [id, [count, amount, visitors]] of read) {
        expect(copy.count(id + 1_000)).to.equal(count);
        expect(copy.amount(id + 1_000)).to.equal(amount);
        expect(copy.visitors(id + 1_000)).to.equal(visitors);
      }
    }
  });

  it('of another format are refused', () => {
    expect(() => readCounts(Buffer.from([9, 1, 2]), () => {})).to.throw('format 9');
    expect(() => totalOf(Buffer.from([9, 1, 2]))).to.throw('format 9');
    const visitors = Buffer.from([9, 1, 2]);
    expect(() => readVisited(packed([[1, 1]])!, visitors, () => {})).to.throw('format 9');
  });
});
