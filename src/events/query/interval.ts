import { Refusal } from '../../errors.ts';
import { endIn, isDate, startIn } from '../../http/iso-time.ts';
import { dayOf, firstOfMonth, localTime, mondayOf, startOfDay } from '../../infra/time-zones.ts';
import type { Granularity, Interval, Span, SpanQuery } from '../span.ts';
import { eventsStore } from '../store/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Maximum span of a request, in years. Its months are still few enough to list. */
const MAX_YEARS = 400;

/** End of the years with four digits: ISO 8601 has no others without agreement. */
const END_OF_TIME = Date.UTC(10_000, 0);

/** Lengths of intervals that end now. */
const LENGTHS_MS = { '1h': HOUR_MS, '24h': DAY_MS };

/** A calendar day: the local time of its midnight. */
type Day = number;

/** First day of each interval that ends with today, and of yesterday. */
const FIRST_DAYS: Record<
  Exclude<Interval, keyof typeof LENGTHS_MS | 'all'>,
  (today: Day) => Day
> = {
  today: (today) => today,
  yesterday: (today) => today - DAY_MS,
  '7d': (today) => today - 6 * DAY_MS,
  '30d': (today) => today - 29 * DAY_MS,
  '90d': (today) => today - 89 * DAY_MS,
  wtd: (today) => mondayOf(today),
  mtd: (today) => firstOfMonth(today),
  qtd: (today) => firstOfMonth(today, new Date(today).getUTCMonth() % 3),
  ytd: (today) => firstOfMonth(today, new Date(today).getUTCMonth()),
  '1y': (today) => yearBefore(today + DAY_MS),
};

const GRANULARITY: Record<Interval, Granularity> = {
  '1h': 'minute',
  '24h': 'hour',
  today: 'hour',
  yesterday: 'hour',
  '7d': 'day',
  '30d': 'day',
  '90d': 'day',
  wtd: 'day',
  mtd: 'day',
  qtd: 'day',
  ytd: 'day',
  '1y': 'month',
  all: 'month',
};

function yearBefore(day: Day): Day {
  const date = new Date(day);
  return date.setUTCFullYear(date.getUTCFullYear() - 1);
}

/**
 * Resolves the time span of a request.
 *
 * @throws Refusal `unprocessable_entity` when the span starts after it ends, or is longer than 400
 * years
 */
export async function resolveSpan(
  projectId: string,
  query: SpanQuery,
  now = new Date(),
): Promise<Span> {
  const { timezone, interval } = query;
  if (interval === undefined && (query.start !== undefined || query.end !== undefined)) {
    return { ...requestedSpan(query, now), timezone };
  }
  const name = interval ?? '24h';
  const granularity = GRANULARITY[name];
  if (name === '1h' || name === '24h') {
    const start = new Date(now.getTime() - LENGTHS_MS[name]);
    return { start, end: new Date(now.getTime() + 1), granularity, timezone };
  }
  const today = dayOf(localTime(now.getTime(), timezone));
  const startOf = (day: Day) => new Date(startOfDay(day, timezone));
  const end = startOf(name === 'yesterday' ? today : today + DAY_MS);
  if (name !== 'all') {
    const start = startOf(FIRST_DAYS[name](today));
    return { start, end, granularity, timezone, isFromFirst: false };
  }
  const first = await eventsStore().findFirstTime(projectId);
  return { start: first ?? now, end, granularity, timezone, isFromFirst: true };
}

/** Returns the span of a request with `start` or `end`. */
function requestedSpan(
  { start: first, end: last, timezone }: SpanQuery,
  now: Date,
): Pick<Span, 'start' | 'end' | 'granularity'> {
  const end =
    last === undefined ? now : new Date(Math.min(endIn(timezone, last).getTime(), END_OF_TIME));
  const start =
    first !== undefined
      ? startIn(timezone, first)
      : last !== undefined && isDate(last)
        ? startIn(timezone, last)
        : new Date(end.getTime() - DAY_MS);
  const areDates = first !== undefined && last !== undefined && isDate(first) && isDate(last);
  // The dates are compared too: a date that is one day after `end` starts where `end` ends.
  if (start > end || (areDates && first > last)) {
    throw new Refusal('unprocessable_entity', 'start must not be after end');
  }
  if (end.getTime() - start.getTime() > MAX_YEARS * 366 * DAY_MS) {
    throw new Refusal(
      'unprocessable_entity',
      `start must not be more than ${MAX_YEARS} years before end`,
    );
  }
  return { start, end, granularity: granularityOf(start, end) };
}

function granularityOf(start: Date, end: Date): Granularity {
  const length = end.getTime() - start.getTime();
  if (length <= 2 * HOUR_MS) return 'minute';
  // Where clocks go back, days are up to an hour longer.
  if (length <= 2 * DAY_MS + HOUR_MS) return 'hour';
  return length <= 100 * DAY_MS + HOUR_MS ? 'day' : 'month';
}
