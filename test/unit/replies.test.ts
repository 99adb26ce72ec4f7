import { expect } from 'chai';
import { decodeOutcome, encodeOutcome } from '../../src/queues/replies.ts';

const record = (n: number) => ({ id: `link_${n}`, title: null, tags: [n], archived: false, n });

const RESULTS: Record<string, unknown> = {
  'records that are mostly the same': [record(1), record(2), record(3)],
  'equal records': [{ a: 1 }, { a: 1 }],
  'a refused item before records': [
    { error: { code: 'conflict' }, link: 'x' },
    record(1),
    record(2),
  ],
  'a refused item among records': [record(1), { error: { code: 'conflict' } }, record(2)],
  'records with other members': [record(1), { ...record(2), more: 1 }, { id: 'link_3' }],
  'a single record': [record(1)],
  'a list without records': ['a', null, 1],
  'a list of lists': [record(1), [1, 2]],
  'no records': [],
  'one record that is no list': record(1),
  nothing: null,
};

describe('the text of an outcome', () => {
  for (const [name, result] of Object.entries(RESULTS)) {
    it(`has ${name}`, () => {
      const decoded = decodeOutcome(encodeOutcome({ result }));
      expect(JSON.stringify(decoded)).to.equal(JSON.stringify({ result }));
    });
  }

  it('leaves out members that are undefined', () => {
    const result = [
      { a: 1, b: undefined },
      { a: 2, b: 3 },
      { a: 4, b: undefined },
    ];
    expect(decodeOutcome(encodeOutcome({ result }))).to.deep.equal({
      result: [{ a: 1 }, { a: 2, b: 3 }, { a: 4 }],
    });
  });

  it('is read as versions up to 0.5 wrote it', () => {
    const text = JSON.stringify({ result: [record(1), record(2)] });
    expect(decodeOutcome(text)).to.deep.equal({ result: [record(1), record(2)] });
  });

  it('has what many records have in common once', () => {
    const result = Array.from({ length: 100 }, (_, n) => ({
      ...record(n),
      note: 'x'.repeat(1_000),
    }));
    expect(encodeOutcome({ result }).length).to.be.below(6_000);
  });
});
