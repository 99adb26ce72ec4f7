import { expect } from 'chai';
import fc from 'fast-check';
import { type MailSchedule, nextSending, periodOf } from '../../src/mail/sending-times.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Zones whose clocks change by an hour or half of one, at midnight or by night, or whole days. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'America/Asuncion',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Antarctica/Troll',
  'Pacific/Apia',
];

const schedules: fc.Arbitrary<MailSchedule> = fc
  .record({
    every: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
    day: fc.integer({ min: 1, max: 31 }),
    hour: fc.integer({ min: 0, max: 23 }),
    timezone: fc.constantFrom(...ZONES),
  })
  .map(({ every, day, ...rest }) => ({
    every,
    day: every === 'day' ? null : every === 'week' ? ((day - 1) % 7) + 1 : day,
    ...rest,
  }));

const times = fc.date({
  min: new Date('2011-06-01'),
  max: new Date('2028-01-01'),
  noInvalidDate: true,
});

/** The clock of a zone at an instant, by `Intl` alone. */
function clock(timeZone: string) {
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (at: number) => {
    const [date = '', time = ''] = format.format(at).split(' ');
    return { date, time };
  };
}

/** Returns true for a date of a schedule: `2026-02-28` is the 31st of its month. */
function isScheduled({ every, day }: MailSchedule, date: string): boolean {
  const at = new Date(date);
  if (every === 'day') return true;
  if (every === 'week') return (at.getUTCDay() + 6) % 7 === day! - 1;
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  return at.getUTCDate() === Math.min(day!, last);
}

/**
 * Lists the sendings of a schedule from the minutes of a clock: the first time at which it shows the
 * hour on a scheduled date; where it skips the hour, the time later by what it skips.
 */
function sendingsBetween(schedule: MailSchedule, from: number, until: number): number[] {
  const at = clock(schedule.timezone);
  const hour = `${String(schedule.hour).padStart(2, '0')}:00`;
  const first = new Map<string, number>();
  let last = { local: 0, at: 0 };
  const skipped: number[] = [];
  const step = 15 * MINUTE_MS;
  const begin = Math.floor(from / step) * step - 2 * DAY_MS;
  for (let now = begin; now < until + 2 * DAY_MS; now += step) {
    const { date, time } = at(now);
    if (time === hour && !first.has(date)) first.set(date, now);
    const local = Date.parse(`${date}T${time}Z`);
    // The clock has jumped: local times between are skipped.
    if (last.at > 0 && local - last.local > step) {
      const jump = local - last.local - step;
      for (let gone = last.local + step; gone < local; gone += step) {
        const day = new Date(gone).toISOString();
        const isHour = day.slice(11, 16) === hour && isScheduled(schedule, day.slice(0, 10));
        if (isHour) skipped.push(now + (gone + jump - local));
      }
    }
    last = { local, at: now };
  }
  const found = [...first].filter(([date]) => isScheduled(schedule, date)).map(([, time]) => time);
  return [...new Set([...found, ...skipped])]
    .filter((time) => time > from && time <= until)
    .toSorted((a, b) => a - b);
}

const iso = (all: readonly number[]) => all.map((at) => new Date(at).toISOString());

describe('times of reports by email', () => {
  it('are once on each scheduled day, whatever clocks do', function () {
    this.timeout(120_000);
    fc.assert(
      fc.property(schedules, times, (schedule, start) => {
        const until = start.getTime() + (schedule.every === 'month' ? 62 : 15) * DAY_MS;
        const sent: number[] = [];
        for (
          let next = nextSending(schedule, start);
          next.getTime() <= until;
          next = nextSending(schedule, next)
        ) {
          sent.push(next.getTime());
        }
        expect(iso(sent)).to.deep.equal(iso(sendingsBetween(schedule, start.getTime(), until)));
      }),
      { numRuns: 60 },
    );
  });

  it('report periods of whole days that neither overlap nor leave a day out', () => {
    fc.assert(
      fc.property(
        schedules,
        times,
        fc.integer({ min: 0, max: 5 * HOUR_MS }),
        (schedule, at, lateMs) => {
          const first = nextSending(schedule, at);
          const second = nextSending(schedule, first);
          const period = periodOf(
            schedule,
            new Date(Math.min(first.getTime() + lateMs, second.getTime() - 1)),
          );
          const next = periodOf(schedule, second);
          expect(next.start).to.deep.equal(period.end);
          expect(next.before).to.deep.equal(period.start);
          expect(period.before.getTime()).to.be.at.most(period.start.getTime());
          expect(period.end.getTime()).to.be.at.most(first.getTime());
          expect(first.getTime() - period.end.getTime()).to.be.below(26 * HOUR_MS);
          const { date } = clock(schedule.timezone)(period.end.getTime() - 1);
          expect(date < clock(schedule.timezone)(period.end.getTime()).date).to.equal(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  const berlin = 'Europe/Berlin';
  const cases: [schedule: MailSchedule, after: string, next: string][] = [
    // Clocks skip 2:00 on 29 March, and show it twice on 25 October.
    [
      { every: 'day', day: null, hour: 2, timezone: berlin },
      '2026-03-28T12:00Z',
      '2026-03-29T01:00:00.000Z',
    ],
    [
      { every: 'day', day: null, hour: 2, timezone: berlin },
      '2026-10-24T12:00Z',
      '2026-10-25T00:00:00.000Z',
    ],
    [
      { every: 'day', day: null, hour: 2, timezone: berlin },
      '2026-10-25T00:00Z',
      '2026-10-26T01:00:00.000Z',
    ],
    [
      { every: 'week', day: 1, hour: 8, timezone: berlin },
      '2026-11-30T06:59Z',
      '2026-11-30T07:00:00.000Z',
    ],
    [
      { every: 'week', day: 7, hour: 8, timezone: berlin },
      '2026-11-30T07:00Z',
      '2026-12-06T07:00:00.000Z',
    ],
    [
      { every: 'month', day: 31, hour: 0, timezone: 'UTC' },
      '2026-01-31T00:00Z',
      '2026-02-28T00:00:00.000Z',
    ],
    [
      { every: 'month', day: 31, hour: 0, timezone: 'UTC' },
      '2026-02-28T00:00Z',
      '2026-03-31T00:00:00.000Z',
    ],
    [
      { every: 'month', day: 1, hour: 8, timezone: 'Asia/Tokyo' },
      '2026-12-31T12:00Z',
      '2026-12-31T23:00:00.000Z',
    ],
  ];
  for (const [schedule, after, next] of cases) {
    it(`are ${next} after ${after}: ${JSON.stringify(schedule)}`, () => {
      expect(nextSending(schedule, new Date(after)).toISOString()).to.equal(next);
    });
  }
});
