import { expect } from 'chai';
import { startOf } from '../../src/compat/dub/start-of.ts';

describe('the intervals that only Dub has', () => {
  for (const [interval, timezone, now, start] of [
    ['mtd', 'UTC', '2026-11-22T10:00:00Z', '2026-11-01T00:00:00.000Z'],
    ['qtd', 'UTC', '2026-11-22T10:00:00Z', '2026-10-01T00:00:00.000Z'],
    // Clocks went forward on 29 March.
    ['mtd', 'Europe/Berlin', '2026-04-10T00:00:00Z', '2026-03-31T22:00:00.000Z'],
    ['mtd', 'Europe/Berlin', '2026-03-30T00:00:00Z', '2026-02-28T23:00:00.000Z'],
    // Local time is still 31 March there, and 1 February in the next zone.
    ['qtd', 'America/New_York', '2026-04-01T02:00:00Z', '2026-01-01T05:00:00.000Z'],
    ['mtd', 'Pacific/Kiritimati', '2026-01-31T12:00:00Z', '2026-01-31T10:00:00.000Z'],
    ['mtd', 'Asia/Kolkata', '2026-03-15T12:00:00Z', '2026-02-28T18:30:00.000Z'],
  ] as const) {
    it(`${interval} in ${timezone} at ${now} begins at ${start}`, () => {
      expect(startOf(interval, timezone, new Date(now))).to.equal(start);
    });
  }

  it('are no others, and need a time zone that there is', () => {
    for (const interval of ['7d', 'constructor', '__proto__', undefined]) {
      expect(startOf(interval, 'UTC')).to.equal(undefined);
    }
    expect(startOf('mtd', 'Nowhere/Nothing')).to.equal(undefined);
  });
});
