import { expect } from 'chai';
import { resolveSpan } from '../../src/events/query/interval.ts';
import type { Interval } from '../../src/events/span.ts';

const NOW = '2026-11-22T10:00:00Z';

describe('intervals', () => {
  const spans: [Interval, zone: string, now: string, start: string, end: string][] = [
    ['today', 'UTC', NOW, '2026-11-22T00:00Z', '2026-11-23T00:00Z'],
    ['today', 'Asia/Tokyo', '2026-11-22T16:00:00Z', '2026-11-22T15:00Z', '2026-11-23T15:00Z'],
    ['yesterday', 'Europe/Berlin', '2026-03-30T10:00Z', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    // Today begins twice: the first time counts.
    ['today', 'Atlantic/Azores', '2026-10-25T12:00Z', '2026-10-25T00:00Z', '2026-10-26T01:00Z'],
    ['7d', 'America/Havana', '2026-11-07T12:00Z', '2026-11-01T04:00Z', '2026-11-08T05:00Z'],
    // A Sunday, and a Monday.
    ['wtd', 'UTC', NOW, '2026-11-16T00:00Z', '2026-11-23T00:00Z'],
    ['wtd', 'UTC', '2026-11-23T10:00Z', '2026-11-23T00:00Z', '2026-11-24T00:00Z'],
    ['wtd', 'Pacific/Auckland', '2026-11-22T12:00Z', '2026-11-22T11:00Z', '2026-11-23T11:00Z'],
    ['mtd', 'UTC', NOW, '2026-11-01T00:00Z', '2026-11-23T00:00Z'],
    // Clocks went forward on 29 March.
    ['mtd', 'Europe/Berlin', '2026-04-10T00:00Z', '2026-03-31T22:00Z', '2026-04-10T22:00Z'],
    ['mtd', 'Europe/Berlin', '2026-03-30T00:00Z', '2026-02-28T23:00Z', '2026-03-30T22:00Z'],
    ['qtd', 'UTC', NOW, '2026-10-01T00:00Z', '2026-11-23T00:00Z'],
    ['qtd', 'America/New_York', '2026-04-01T02:00Z', '2026-01-01T05:00Z', '2026-04-01T04:00Z'],
    ['ytd', 'Asia/Kolkata', '2026-12-31T20:00Z', '2026-12-31T18:30Z', '2027-01-01T18:30Z'],
    ['1y', 'UTC', NOW, '2025-11-23T00:00Z', '2026-11-23T00:00Z'],
    ['1y', 'UTC', '2028-02-29T10:00Z', '2027-03-01T00:00Z', '2028-03-01T00:00Z'],
  ];
  for (const [interval, timezone, now, start, end] of spans) {
    it(`${interval} in ${timezone} at ${now} is from ${start} to ${end}`, async () => {
      const span = await resolveSpan('', { interval, timezone }, new Date(now));
      expect([span.start, span.end]).to.deep.equal([new Date(start), new Date(end)]);
    });
  }

  const requested: [query: { start?: string; end?: string }, start: string, end: string][] = [
    [{ start: '2026-11-01', end: '2026-11-07' }, '2026-11-01T04:00Z', '2026-11-08T05:00Z'],
    [{ start: '2026-11-07', end: '2026-11-07' }, '2026-11-07T05:00Z', '2026-11-08T05:00Z'],
    // Without a start: the day of the end, which has 25 hours, or the 24 hours before it.
    [{ end: '2026-11-01' }, '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
    [{ end: '2026-11-01T12:00' }, '2026-10-31T17:00Z', '2026-11-01T17:00Z'],
    [{ start: '2026-11-20' }, '2026-11-20T05:00Z', NOW],
    [
      { start: '2026-11-05T06:00', end: '2026-11-05T07:00:30.5' },
      '2026-11-05T11:00Z',
      '2026-11-05T12:00:30.5Z',
    ],
    [
      { start: '2026-11-05T06:00Z', end: '2026-11-05T08:00+0100' },
      '2026-11-05T06:00Z',
      '2026-11-05T07:00Z',
    ],
  ];
  for (const [query, start, end] of requested) {
    it(`of ${JSON.stringify(query)} are from ${start} to ${end} in America/New_York or Havana`, async () => {
      for (const timezone of ['America/New_York', 'America/Havana']) {
        const span = await resolveSpan('', { ...query, timezone }, new Date(NOW));
        expect([span.start, span.end]).to.deep.equal([new Date(start), new Date(end)]);
      }
    });
  }
});
