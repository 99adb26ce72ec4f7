import { expect } from 'chai';
import fc from 'fast-check';
import {
  type EventQuery,
  readEventQuery,
  textOf,
  valuesOf,
} from '../../src/console/analytics/event-query.ts';
import { comparedSpans } from '../../src/console/analytics/periods.ts';
import { alignedTo, type Step } from '../../src/console/analytics/timeline.ts';
import { stepsOf } from '../../src/events/steps.ts';

const BERLIN = 'Europe/Berlin';

/** Returns the starts of the steps of a span, and the compared start of each. */
function aligned(
  span: readonly [string, string],
  compared: readonly [string, string],
  step: Step,
  timezone = BERLIN,
) {
  const rows = ([start, end]: readonly [string, string]) =>
    stepsOf({ granularity: step, timezone, start: new Date(start), end: new Date(end) }).map(
      (at) => ({ start: at.toISOString() }),
    );
  const shown = rows(span);
  return shown.map(({ start }, index) => [
    start.slice(0, 16),
    alignedTo(shown, rows(compared), step, timezone)[index]?.start.slice(0, 16),
  ]);
}

describe('compared periods', () => {
  const spans: [query: EventQuery, now: string, before: [string, string]][] = [
    // Clocks go forward on 29 March 2026: the month has an hour less than 31 days.
    [{ interval: 'last_month' }, '2026-04-10', ['2026-01-31T23:00', '2026-02-28T23:00']],
    // A whole month is compared with the whole month before, which has other days.
    [{ interval: 'last_month' }, '2026-03-10', ['2025-12-31T23:00', '2026-01-31T23:00']],
    [{ interval: 'last_quarter' }, '2026-05-01', ['2025-09-30T22:00', '2025-12-31T23:00']],
    [{ interval: 'yesterday' }, '2026-03-30', ['2026-03-27T23:00', '2026-03-28T23:00']],
    // 31 March has no counterpart in February, which ends with all of its days.
    [{ interval: 'month' }, '2026-03-31T10:00', ['2026-01-31T23:00', '2026-02-28T23:00']],
    [{ interval: 'month' }, '2026-03-10T10:00', ['2026-01-31T23:00', '2026-02-10T10:00']],
    [
      { interval: 'last_month', compare: 'year' },
      '2028-03-10',
      ['2027-01-31T23:00', '2027-02-28T23:00'],
    ],
    [
      { start: '2026-03-28T23:00:00Z', end: '2026-03-29T22:00:00Z' },
      '2026-06-01',
      ['2026-03-27T23:00', '2026-03-28T23:00'],
    ],
    [
      { start: '2028-02-28T23:00:00Z', end: '2028-02-29T23:00:00Z', compare: 'year' },
      '2028-06-01',
      ['2027-02-27T23:00', '2027-02-28T23:00'],
    ],
  ];
  for (const [query, now, before] of spans) {
    it(`${JSON.stringify(query)} on ${now}`, () => {
      const found = comparedSpans(
        query,
        BERLIN,
        Date.parse(`${now}${now.includes('T') ? ':00Z' : 'T12:00:00Z'}`),
      );
      expect([found.before?.start.slice(0, 16), found.before?.end.slice(0, 16)]).to.deep.equal(
        before,
      );
    });
  }

  it('have none where the comparison is with another value, or nothing', () => {
    const now = Date.parse('2026-04-10T12:00:00Z');
    for (const query of [
      { interval: '7d', compare: 'none' },
      { interval: '7d', compare: 'country', country: 'DE', against: 'FR' },
    ] satisfies EventQuery[]) {
      expect(comparedSpans(query, BERLIN, now)).to.deep.include({
        before: undefined,
        isRunning: true,
      });
    }
  });

  it('are aligned by the hour of the clock, on days of 23 and 25 hours', () => {
    const spring = aligned(
      ['2026-03-28T23:00Z', '2026-03-29T22:00Z'],
      ['2026-03-27T23:00Z', '2026-03-28T23:00Z'],
      'hour',
    );
    expect(spring).to.have.length(23);
    expect(spring.slice(1, 3)).to.deep.equal([
      ['2026-03-29T00:00', '2026-03-28T00:00'],
      // From one to three o'clock.
      ['2026-03-29T01:00', '2026-03-28T02:00'],
    ]);
    const autumn = aligned(
      ['2026-10-24T22:00Z', '2026-10-25T23:00Z'],
      ['2026-10-23T22:00Z', '2026-10-24T22:00Z'],
      'hour',
    );
    expect(autumn).to.have.length(25);
    expect(autumn.slice(2, 5).map(([, compared]) => compared)).to.deep.equal([
      '2026-10-24T00:00',
      '2026-10-24T00:00',
      '2026-10-24T01:00',
    ]);
    const after = aligned(
      ['2026-03-29T22:00Z', '2026-03-30T22:00Z'],
      ['2026-03-28T23:00Z', '2026-03-29T22:00Z'],
      'hour',
    );
    expect(after[2]).to.deep.equal(['2026-03-30T00:00', undefined]);
    expect(after[3]).to.deep.equal(['2026-03-30T01:00', '2026-03-29T01:00']);
  });

  it('are aligned by the day of the month, and by the month of the year', () => {
    const march = aligned(
      ['2026-02-28T23:00Z', '2026-03-31T22:00Z'],
      ['2026-01-31T23:00Z', '2026-02-28T23:00Z'],
      'day',
    );
    expect(march[27]).to.deep.equal(['2026-03-27T23:00', '2026-02-27T23:00']);
    expect(march[28]).to.deep.equal(['2026-03-28T23:00', undefined]);
    const year = aligned(
      ['2027-12-31T23:00Z', '2028-12-31T23:00Z'],
      ['2026-12-31T23:00Z', '2027-12-31T23:00Z'],
      'month',
    );
    expect(year).to.have.length(12);
    expect(year[2]).to.deep.equal(['2028-02-29T23:00', '2027-02-28T23:00']);
    expect(year[11]).to.deep.equal(['2028-11-30T23:00', '2027-11-30T23:00']);
  });
});

describe('queries of analytics in URLs', () => {
  it('keep values with commas and percent signs apart', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(',', '%2C', '%25', '100%'))),
        (values) => {
          expect(valuesOf(textOf(values))).to.deep.equal(values);
        },
      ),
    );
  });

  it('keep exclusion and comparison as long as their filter', () => {
    const country = { country: 'DE', compare: 'country', against: 'FR' };
    expect(readEventQuery({ ...country, exclude: 'country,city,none' })).to.deep.include({
      ...country,
      exclude: 'country',
    });
    expect(readEventQuery({ exclude: 'country', compare: 'country', against: 'FR' })).to.deep.equal(
      {},
    );
    expect(readEventQuery({ traffic: 'all', exclude: 'traffic' })).to.deep.equal({
      traffic: 'all',
    });
    expect(readEventQuery({ compare: 'none' })).to.deep.equal({ compare: 'none' });
    expect(readEventQuery({ compare: 'bogus', against: 'x' })).to.deep.equal({});
  });
});
