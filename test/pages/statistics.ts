/* Invented numbers, the same in every run. */
import type { Granularity } from '../../src/events/span.ts';
import type { Share, Statistics } from '../../src/public-stats/queries.ts';
import type { ReportNumbers } from '../../src/reports/numbers.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const END = Date.UTC(2026, 4, 12);

type Times = Statistics['times'];

function statisticsOf(times: Times, granularity: Granularity, shares: Shares): Statistics {
  const total = times.reduce((sum, { count }) => sum + count, 0);
  const span = {
    start: times[0]!.start,
    end: times.at(-1)!.start,
    granularity,
    timezone: 'UTC',
  };
  return { total, span, times, ...shares, sources: shares.referrers };
}

type Shares = Pick<Statistics, 'countries' | 'devices' | 'browsers' | 'referrers'>;

/** Divides a total into shares of decreasing size. */
function split(total: number, ...values: string[]): Share[] {
  let left = total;
  return values.map((value, at) => {
    const count = at === values.length - 1 ? left : Math.ceil(left * 0.55);
    left -= count;
    return { value, count };
  });
}

const DAILY_VISITS = [31, 44, 28, 52, 61, 12, 9, 38, 47, 55, 73, 68, 21, 15, 40];

const countAt = (at: number) => DAILY_VISITS[at % DAILY_VISITS.length]! + at * 3;

const sharesOf = (total: number): Shares => ({
  countries: split(total, 'DE', 'FR', 'JP', 'US', 'BR', 'GB', 'NL', 'Unknown', 'PL', 'AT'),
  devices: split(total, 'Mobile', 'Desktop', 'Tablet', 'Unknown'),
  browsers: split(total, 'Mobile Safari', 'Chrome', 'Samsung Internet', 'Firefox'),
  referrers: split(
    total,
    '(direct)',
    'news.northwind.example',
    `${'a-very-long-name-of-a-host-'.repeat(6)}.example`,
  ),
});

const sum = (times: Times) => times.reduce((all, { count }) => all + count, 0);

export function thirtyDays(): Statistics {
  const times = Array.from({ length: 30 }, (_, at) => ({
    start: new Date(END - (29 - at) * DAY),
    count: at === 11 ? 0 : countAt(at),
  }));
  return statisticsOf(times, 'day', sharesOf(sum(times)));
}

/** Builds very large numbers, by month. */
export function allTime(): Statistics {
  const times = Array.from({ length: 37 }, (_, at) => ({
    start: new Date(Date.UTC(2023, 4 + at, 1)),
    count: countAt(at) * 12_345,
  }));
  return statisticsOf(times, 'month', sharesOf(sum(times)));
}

/** Builds a single visit of one day. */
export function today(): Statistics {
  const times = Array.from({ length: 25 }, (_, at) => ({
    start: new Date(END - (24 - at) * HOUR),
    count: at === 17 ? 1 : 0,
  }));
  return statisticsOf(times, 'hour', {
    countries: [{ value: 'Unknown', count: 1 }],
    devices: [{ value: 'Mobile', count: 1 }],
    browsers: [{ value: 'Mobile Safari', count: 1 }],
    referrers: [{ value: '(direct)', count: 1 }],
  });
}

const NONE: Shares = { countries: [], devices: [], browsers: [], referrers: [] };

export const NOTHING_YET: Statistics = statisticsOf(
  [{ start: new Date(END - 7 * DAY), count: 0 }],
  'day',
  NONE,
);

/** Builds the numbers of a report that counts conversions. */
export function campaign(): ReportNumbers {
  const { total, times, span, countries, devices, sources } = thirtyDays();
  const names = ['clicks', 'leads', 'sales', 'saleAmount', 'refunds', 'refundAmount', 'visitors'];
  const numbersOf = (clicks: number) => ({
    clicks,
    leads: Math.floor(clicks / 9),
    sales: Math.floor(clicks / 31),
    saleAmount: Math.floor(clicks / 31) * 4_990,
    refunds: 0,
    refundAmount: 0,
    visitors: Math.floor(clicks * 0.8),
  });
  const list = (
    group: ReportNumbers['lists'][number]['group'],
    field: string,
    shares: Share[],
  ) => ({
    group,
    names,
    rows: shares.map(({ value, count }) => ({ [field]: value, ...numbersOf(count) })),
    rest: 0,
  });
  const links = split(
    total,
    'acme.link/garden',
    'acme.link/terrace',
    `acme.link/${'long-'.repeat(30)}`,
  );
  return {
    at: new Date(END),
    span: { ...span, timezone: 'Europe/Berlin' },
    names,
    totals: numbersOf(total),
    times: times.map(({ start, count }) => ({ start: start.toISOString(), ...numbersOf(count) })),
    lists: [
      list('top_links', 'shortLink', links),
      list('countries', 'country', countries),
      list('sources', 'source', sources),
      list('devices', 'device', devices),
      list('utm_campaigns', 'utm_campaign', split(total, 'spring', 'autumn')),
    ],
  };
}

/** Builds the numbers of a report without events. */
export const noCampaign = (): ReportNumbers => ({
  at: new Date(END),
  span: NOTHING_YET.span,
  names: ['clicks', 'visitors'],
  totals: { clicks: 0, visitors: 0 },
  times: [],
  lists: [],
});
