import { expect } from 'chai';
import { fileNameOf } from '../../src/console/analytics/file-name.ts';

describe('names of files with numbers', () => {
  const now = Date.parse('2026-11-30T23:30:00Z');
  const cases: [query: Parameters<typeof fileNameOf>[2], period: string][] = [
    [{ timezone: 'UTC' }, '2026-11-01 to 2026-11-30'],
    // It is December there already.
    [{ timezone: 'Asia/Tokyo' }, '2026-11-02 to 2026-12-01'],
    [{ interval: 'last_month', timezone: 'UTC' }, '2026-10-01 to 2026-10-31'],
    [{ interval: 'all', timezone: 'UTC' }, 'all time'],
    [{ interval: '1h', timezone: 'UTC' }, '2026-11-30'],
    [{ interval: '24h', timezone: 'UTC' }, '2026-11-29 to 2026-11-30'],
    [{ start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z', timezone: 'UTC' }, '2026-03-01'],
  ];
  for (const [query, period] of cases) {
    it(`have the period ${period} for ${JSON.stringify(query)}`, () => {
      expect(fileNameOf('acme', 'clicks', query, now)).to.equal(`acme clicks ${period}`);
    });
  }
});
