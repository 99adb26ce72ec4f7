import { expect } from 'chai';
import type { Granularity } from '../../src/events/span.ts';
import { stepsOf } from '../../src/events/steps.ts';
import { instantOf, startOfDay } from '../../src/infra/time-zones.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR = 2026;
/** Years with changes of clocks at midnight, before it and over it, and with days left out. */
const PAST: [zone: string, year: number][] = [
  ['Pacific/Apia', 2011],
  ['Pacific/Kwajalein', 1993],
  ['Pacific/Kiritimati', 1994],
  ['Asia/Manila', 1844],
  ['America/Sao_Paulo', 2018],
  ['America/Asuncion', 2020],
  ['America/St_Johns', 2010],
  ['America/Toronto', 1919],
  ['Asia/Amman', 2021],
  ['Asia/Gaza', 2023],
  ['Asia/Tehran', 2022],
  ['Africa/Casablanca', 2024],
  ['Antarctica/Troll', 2025],
];

const iso = (at: number) => new Date(at).toISOString();

/** Returns a function that formats the local date at an instant, such as `2026-11-22`. */
function datesOf(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at) => format.format(at);
}

/**
 * Finds the first instant whose local date is a day or a later one: by the minute for what is near,
 * then by the second.
 */
function firstInstantOf(day: string, dateAt: (at: number) => string): number {
  const isReached = (at: number) => dateAt(at) >= day;
  let at = Date.parse(day) - 26 * HOUR_MS;
  for (const step of [HOUR_MS / 4, 60_000, 1_000]) {
    while (!isReached(at)) at += step;
    if (step > 1_000) at -= step;
  }
  return at;
}

/** Days around each change of clocks in a year, and the first of each month. */
function daysToTest(timeZone: string, year: number): number[] {
  const clock = new Intl.DateTimeFormat('sv', { timeZone, hour: '2-digit', minute: '2-digit' });
  const from = Date.UTC(year, 0, 1);
  const weeks = Array.from({ length: 53 }, (_, at) => from + at * 7 * DAY_MS);
  const changed = weeks.filter((at) => clock.format(at) !== clock.format(at + 7 * DAY_MS));
  return [
    ...Array.from({ length: 12 }, (_, month) => Date.UTC(year, month, 1)),
    ...changed.flatMap((week) => Array.from({ length: 9 }, (_, at) => week + at * DAY_MS)),
  ];
}

describe('days of time zones', () => {
  const tested: [zone: string, year: number][] = [
    ...Intl.supportedValuesOf('timeZone').map((zone): [string, number] => [zone, YEAR]),
    ...PAST,
  ];
  it(`begin at their first instant, in ${tested.length} zones`, function () {
    this.timeout(120_000);
    for (const [zone, year] of tested) {
      const dateAt = datesOf(zone);
      for (const day of daysToTest(zone, year)) {
        const [start, date] = [startOfDay(day, zone), iso(day).slice(0, 10)];
        const what = `${date} in ${zone}: ${iso(start)}`;
        expect(dateAt(start) >= date, what).to.equal(true);
        for (const ms of [1_000, HOUR_MS / 2, HOUR_MS, 2 * HOUR_MS]) {
          expect(dateAt(start - ms) < date, what).to.equal(true);
        }
      }
    }
  });

  const starts: [zone: string, day: string, start: string][] = [
    // Midnight comes twice.
    ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00:00.000Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['America/St_Johns', '2010-11-07', '2010-11-07T02:30:00.000Z'],
    // Midnight is skipped, and not always as the first minute.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
    ['America/Toronto', '1919-03-31', '1919-03-31T04:30:00.000Z'],
    // The whole day is skipped.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
  ];
  for (const [zone, day, start] of starts) {
    it(`begin at ${start}: ${day} in ${zone}`, () => {
      expect(iso(startOfDay(Date.parse(day), zone))).to.equal(start);
      expect(iso(firstInstantOf(day, datesOf(zone)))).to.equal(start);
    });
  }

  const times: [zone: string, local: string, instant: string][] = [
    ['Europe/Berlin', '2026-11-28T12:00', '2026-11-28T11:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['America/New_York', '2026-11-01T01:00', '2026-11-01T05:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45:00.000Z'],
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00:00.000Z'],
    ['Asia/Tokyo', '0001-01-01T00:00', '0000-12-31T14:41:01.000Z'],
  ];
  for (const [zone, local, instant] of times) {
    it(`have the local time ${local} in ${zone} at ${instant}`, () => {
      expect(iso(instantOf(Date.parse(`${local}Z`), zone))).to.equal(instant);
    });
  }
});

describe('steps of a time series', () => {
  const steps = (granularity: Granularity, timezone: string, start: string, end: string) =>
    stepsOf({ granularity, timezone, start: new Date(start), end: new Date(end) }).map((at) =>
      at.toISOString(),
    );

  it('are consecutive days, each of them once', () => {
    for (const [timezone, year] of [...PAST, ['Europe/Berlin', YEAR] as const]) {
      const span = { granularity: 'day' as const, timezone };
      const [start, end] = [new Date(Date.UTC(year, 0, 1)), new Date(Date.UTC(year + 1, 0, 1))];
      const dateAt = datesOf(timezone);
      const days = stepsOf({ ...span, start, end });
      const dates = days.map((day) => dateAt(day.getTime()));
      const all = new Set<string>();
      for (let at = start.getTime(); at < end.getTime(); at += HOUR_MS) all.add(dateAt(at));
      expect(dates, timezone).to.deep.equal([...all].toSorted());
    }
  });

  it('have no day that the zone left out, unless it is the whole span', () => {
    expect(steps('day', 'Pacific/Apia', '2011-12-28T10:00Z', '2012-01-01T10:00Z')).to.deep.equal([
      '2011-12-28T10:00:00.000Z',
      '2011-12-29T10:00:00.000Z',
      '2011-12-30T10:00:00.000Z',
      '2011-12-31T10:00:00.000Z',
    ]);
    expect(steps('day', 'Pacific/Apia', '2011-12-30T10:00Z', '2011-12-30T10:00Z')).to.deep.equal([
      '2011-12-30T10:00:00.000Z',
    ]);
  });

  it('begin before the span, at a full unit of the time zone', () => {
    const inside: [Granularity, string][] = [
      ['minute', '2026-06-15T12:34:00.000Z'],
      ['hour', '2026-06-15T12:15:00.000Z'],
      ['day', '2026-06-14T18:15:00.000Z'],
      ['month', '2026-05-31T18:15:00.000Z'],
    ];
    for (const [granularity, first] of inside) {
      const [start, end] = ['2026-06-15T12:34:56Z', '2026-06-15T12:34:57Z'];
      expect(steps(granularity, 'Asia/Kathmandu', start, end)).to.deep.equal([first]);
    }
  });

  it('are hours of real time while clocks change', () => {
    expect(steps('hour', 'Europe/Berlin', '2026-10-25T00:30Z', '2026-10-25T02:00Z')).to.deep.equal([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
    ]);
  });

  it('are months that begin at the first instant of a day', () => {
    expect(
      steps('month', 'America/Havana', '2026-10-05T00:00Z', '2026-12-02T00:00Z'),
    ).to.deep.equal([
      '2026-10-01T04:00:00.000Z',
      '2026-11-01T04:00:00.000Z',
      '2026-12-01T05:00:00.000Z',
    ]);
  });
});
