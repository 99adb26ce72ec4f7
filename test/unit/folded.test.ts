import { expect } from 'chai';
import fc from 'fast-check';
import { searchable, searchableParts } from '../../src/infra/folded.ts';

const PARTS = ['xn--', 'XN--', 'mnchen-3ya', '%C3%BC', '%41', '%', 'ü', 'É', '京', ' ', '\u007f'];

describe('texts for searches', () => {
  it('are folded alike whether they consist of plain characters or not', () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: 'grapheme-ascii' })))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (plain) => {
        // No text with an accent is plain.
        const accented = searchable(`é${plain}`);
        expect(accented.split('\n').map((line) => line.slice(1))).to.deep.equal(
          searchable(plain).split('\n'),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('have each part on a line of its own, in lower case', () => {
    const parts = ['Spring Sale', 'go.example.com/Spring', 'https://Example.com/?A=1#b', null];
    expect(searchableParts(parts)).to.equal(
      'spring sale\ngo.example.com/spring\nhttps://example.com/?a=1#b',
    );
  });
});
