import { expect } from 'chai';
import fc from 'fast-check';
import { foldCase, lettersBeyondAscii, spellingsPattern } from '../../src/infra/letter-case.ts';

const letters = fc.array(
  fc.oneof(
    fc.constantFrom(...Array.from('kKsSiIßẞıİſ\u212a\u212bÅåÄäǅǆǄΣσςЖж𐐀𐐨 .*[]^$|()\\-+?{}_%/')),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
  { maxLength: 4 },
);

describe('texts without regard to case', () => {
  const EQUAL: [one: string, other: string, isEqual: boolean][] = [
    ['Newsletter', 'nEWSLETTER', true],
    ['Übung', 'ÜBUNG', true],
    ['ОСЕНЬ', 'осень', true],
    ['ß', 'SS', false],
    ['k', '\u212a', false],
    ['I', 'ı', false],
    ['σ', 'ς', false],
    ['a', 'b', false],
  ];
  for (const [one, other, isEqual] of EQUAL) {
    it(`${isEqual ? 'equate' : 'distinguish'} ${one} and ${other}`, () => {
      expect(foldCase(one) === foldCase(other)).to.equal(isEqual);
    });
  }

  it('match the pattern of all their spellings, and no other', () => {
    fc.assert(
      fc.property(letters, letters, (one, other) => {
        const [text, second] = [one.join(''), other.join('')];
        for (const candidate of [second, text, text.toUpperCase(), text.toLowerCase()]) {
          const pattern = new RegExp(spellingsPattern([text]), 'u');
          expect(pattern.test(candidate)).to.equal(foldCase(candidate) === foldCase(text));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('are converted by a table as by the function', () => {
    const { capitals, small } = lettersBeyondAscii();
    const table = new Map(capitals.map((capital, at) => [capital, small[at]!]));
    expect(table.get('Ä')).to.equal('ä');
    expect(table.size).to.be.greaterThan(1_000);
    for (let code = 0; code <= 0x10_ff_ff; code += 1) {
      if (code >= 0xd8_00 && code < 0xe0_00) continue;
      const character = String.fromCodePoint(code);
      const converted = (table.get(character) ?? character).replace(/[A-Z]/, (letter) =>
        letter.toLowerCase(),
      );
      if (converted !== foldCase(character))
        expect(converted, code.toString(16)).to.equal(foldCase(character));
    }
  });
});
