import { expect } from 'chai';
import { arrayLiteral } from '../../src/infra/array-literal.ts';
import { db, rows } from '../../src/infra/db.ts';

const TEXTS = [
  '',
  ' ',
  'plain',
  'null',
  'NULL',
  'nullable',
  'a,b',
  '{a}',
  '"',
  String.raw`\ and \\ and "\"`,
  'line\nbreak\ttab\r',
  '2026-11-28T12:00:00.000Z',
  'https://example.com/?a=b&c={d}',
  'Böblingen 東京 🎉',
  "it's",
  '?',
  ':name',
  '$1',
];

describe('array literals', () => {
  it('contain every text as it is', async () => {
    const [row] = await rows<{ texts: string[] }>(db(), 'SELECT :texts::text[] AS texts', {
      texts: TEXTS,
    });
    expect(row?.texts).to.deep.equal(TEXTS);
    const [positional] = await rows<{ texts: string[] }>(db(), 'SELECT ?::text[] AS texts', [
      TEXTS,
    ]);
    expect(positional?.texts).to.deep.equal(TEXTS);
  });

  it('contain numbers, truth values and nulls', async () => {
    const [row] = await rows(
      db(),
      'SELECT :ints::int[] AS ints, :floats::float8[] AS floats, :truths::boolean[] AS truths, :none::text[] AS none',
      {
        ints: [1, null, -2],
        floats: [0.5, 1e21, -Infinity],
        truths: [true, false, null],
        none: [],
      },
    );
    expect(row).to.deep.equal({
      ints: [1, null, -2],
      floats: [0.5, 1e21, -Infinity],
      truths: [true, false, null],
      none: [],
    });
  });

  it('leave other values to the driver', () => {
    expect(arrayLiteral([new Date(0)])).to.equal(undefined);
    expect(arrayLiteral([Buffer.from('a')])).to.equal(undefined);
    expect(arrayLiteral([['nested']])).to.equal(undefined);
    expect(arrayLiteral([undefined])).to.equal(undefined);
  });
});
