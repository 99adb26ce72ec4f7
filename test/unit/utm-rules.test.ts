import { expect } from 'chai';
import fc from 'fast-check';
import {
  normalizeUtm,
  UTM_SEPARATORS,
  type UtmRules,
  utmFaults,
} from '../../src/workspaces/utm-rules.ts';

const STRICT: UtmRules = { lowercase: true, separator: '-', required: ['utm_source'] };

const anyRules: fc.Arbitrary<UtmRules> = fc.record({
  lowercase: fc.boolean(),
  separator: fc.constantFrom(...UTM_SEPARATORS, null),
  required: fc.subarray(['utm_source', 'utm_medium']),
});
/** Values with many of the characters that the rules treat in a special way. */
const anyValue = fc.oneof(
  fc.string({ unit: fc.constantFrom(...' \t\u00a0-_{}aAΣςİßǅÉ.'.split('')) }),
  fc.string({ unit: 'binary' }),
);

describe('rules for UTM parameters', () => {
  const values: [value: string, normal: string][] = [
    ['Spring Sale 2026', 'spring-sale-2026'],
    [' E-Mail ', 'e-mail'],
    ['spring_sale', 'spring-sale'],
    ['a - b', 'a-b'],
    ['a--b', 'a--b'],
    ['example.com/É', 'example.com/é'],
    ['Ad {{Ad_Group.ID}} x', 'ad-{{Ad_Group.ID}}-x'],
    ['{Keyword: My Shoes}', '{Keyword: My Shoes}'],
    ['{Open', '{open'],
    ['spring', 'spring'],
  ];
  for (const [value, normal] of values) {
    it(`write “${value}” as “${normal}”`, () =>
      expect(normalizeUtm(value, STRICT)).to.equal(normal));
  }

  it('write a value in the normal form once, which then breaks no rule', () => {
    fc.assert(
      fc.property(anyValue, anyRules, (value, rules) => {
        const normal = normalizeUtm(value, rules);
        expect(normalizeUtm(normal, rules)).to.equal(normal);
        if (normal.trim() !== '') expect(utmFaults(normal, 'utm_source', rules)).to.deep.equal([]);
      }),
    );
  });

  it('leave a value alone that breaks none, and change one that does', () => {
    fc.assert(
      fc.property(anyValue, anyRules, (value, rules) => {
        fc.pre(value.trim() !== '');
        const isRight = utmFaults(value, 'utm_term', rules).length === 0;
        expect(isRight).to.equal(normalizeUtm(value, rules) === value);
      }),
    );
  });

  it('require only what they name', () => {
    const required = ['must be set (utmRules.required)'];
    for (const empty of [null, '', ' ']) {
      expect(utmFaults(empty, 'utm_source', STRICT)).to.deep.equal(required);
      expect(utmFaults(empty, 'utm_term', STRICT)).to.deep.equal([]);
    }
  });
});
