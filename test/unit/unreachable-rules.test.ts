import { expect } from 'chai';
import fc from 'fast-check';
import { unreachable } from '../../src/console/short-links/unreachable.ts';
import { matches } from '../../src/routing/conditions.ts';
import type { Facts } from '../../src/routing/facts.ts';
import { type RuleConditions, ruleEntry } from '../../src/short-links/routing-rules.ts';

const NOW = Date.UTC(2026, 10, 29, 12);
const FIRST = { coveredBy: 0 };
const ENDED = { ended: true };

const reasonOf = (values: readonly unknown[]) => unreachable(values as never[], NOW).get(1);

describe('a rule of the console', () => {
  const pairs: [what: string, values: unknown[], reason: object | undefined][] = [
    ['after the same one', [{ country: ['DE'] }, { country: ['DE'] }], FIRST],
    ['after one of more countries', [{ country: ['DE', 'AT'] }, { country: ['AT'] }], FIRST],
    ['after one of fewer countries', [{ country: ['AT'] }, { country: ['DE', 'AT'] }], undefined],
    ['after a wider one', [{ os: ['iOS'] }, { os: ['ios'], country: ['DE'] }], FIRST],
    ['after a narrower one', [{ os: ['iOS'], country: ['DE'] }, { os: ['iOS'] }], undefined],
    ['of a dialect, after its language', [{ language: ['de'] }, { language: ['de-AT'] }], FIRST],
    ['of a language, after a dialect', [{ language: ['de-AT'] }, { language: ['de'] }], undefined],
    ['after any value', [{ query: { a: true } }, { query: { a: ['1'] } }], FIRST],
    ['of any value, after one', [{ query: { a: ['1'] } }, { query: { a: true } }], undefined],
    ['after its trait', ['Firefox', { browser: ['firefox'], country: ['DE'] }], FIRST],
    [
      'after one with a trait beside conditions',
      [
        { country: ['DE'], trait: 'chrome' },
        { country: ['DE'], trait: 'safari' },
      ],
      undefined,
    ],
    ['after an unfinished one', [{ country: [] }, { country: ['DE'] }], undefined],
    [
      'within the times of another',
      [
        { from: '2026-12-01T00:00:00Z', until: '2027-02-01T00:00:00Z' },
        { from: '2026-12-24T00:00:00Z', until: '2026-12-27T00:00:00Z' },
      ],
      FIRST,
    ],
    ['that has ended', ['DE', { country: ['AT'], until: '2026-11-01T00:00:00Z' }], ENDED],
  ];
  for (const [what, values, reason] of pairs) {
    it(`${what} is ${reason === undefined ? 'not ' : ''}warned of`, () => {
      expect(reasonOf(values)).to.deep.equal(reason);
    });
  }

  it('that is warned of matches no visitor in the redirect whom the rule before it does not', () => {
    const some = (...values: string[]) => fc.subarray(values, { minLength: 1, maxLength: 2 });
    const value = fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom('de', 'mobile', 'ios', 'Berlin', 'chrome') },
      {
        weight: 5,
        arbitrary: fc
          .record(
            {
              country: some('DE', 'AT'),
              city: some('Berlin', 'Vienna'),
              device: some('mobile', 'desktop'),
              os: some('iOS', 'Windows'),
              language: some('de', 'de-AT', 'en'),
              query: fc.constantFrom({ a: true }, { a: ['1'] }, { a: ['1', '2'], b: true }),
              from: fc.constantFrom('2026-11-01T00:00:00.000Z', '2026-11-15T00:00:00.000Z'),
              until: fc.constantFrom('2026-11-29T00:00:00.000Z', '2027-01-01T00:00:00.000Z'),
              time: fc.constantFrom({ from: '09:00', to: '17:00', timezone: 'Europe/Berlin' }),
            },
            { requiredKeys: [] },
          )
          .filter((conditions) => Object.keys(conditions).length > 0),
      },
    );
    const visitor = fc.record({
      country: fc.constantFrom('DE', 'AT', 'Unknown'),
      city: fc.constantFrom('Berlin', 'Vienna', 'Unknown'),
      device: fc.constantFrom('Mobile', 'Desktop'),
      os: fc.constantFrom('iOS', 'Windows'),
      browser: fc.constantFrom('Chrome', 'Safari'),
      language: fc.constantFrom('de', 'de-at', 'en', ''),
    });
    const query = fc.constantFrom('', 'a=1', 'a=2', 'a=3&b', 'a=1&a=3&b=x');
    const later = fc.integer({ min: 0, max: 40 * 86_400_000 });
    let warned = 0;
    fc.assert(
      fc.property(fc.tuple(value, value), visitor, query, later, (values, traits, sent, ms) => {
        const reason = reasonOf(values);
        if (reason === undefined) return;
        warned += 1;
        const facts = { traits, query: sent, now: NOW + ms } as unknown as Facts;
        const isMatched = values.map((one) => {
          const rule = { value: one as string | RuleConditions, url: 'https://example.com/' };
          return matches(ruleEntry(rule, rule.url), facts);
        });
        if ('ended' in reason) expect(isMatched[1]).to.equal(false);
        else if (isMatched[1] === true) expect(isMatched[0]).to.equal(true);
      }),
      { numRuns: 20_000 },
    );
    expect(warned).to.be.above(200);
  });
});
