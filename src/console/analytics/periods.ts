import {
  addDays,
  addMonths,
  dayOf,
  daysBetween,
  mondayOf,
  monthOf,
  quarterOf,
  startOfDay,
} from './days.ts';
import type { EventQuery, Period } from './event-query.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A span of time with an exclusive end. */
export interface Span {
  start: string;
  end: string;
}

/** Distance between a period and its comparison period. */
interface Distance {
  months?: number;
  days?: number;
  ms?: number;
}

/** A calendar period: first day, day after the last, and distance to the previous period. */
type Days = readonly [first: string, end: string, distance: Distance];

/** First and last days of the periods, relative to today; periods end today at the latest. */
const DAYS_OF: Record<Exclude<Period, '1h' | '24h' | 'all'>, (today: string) => Days> = {
  today: (today) => [today, addDays(today, 1), { days: 1 }],
  yesterday: (today) => [addDays(today, -1), today, { days: 1 }],
  '7d': (today) => [addDays(today, -6), addDays(today, 1), { days: 7 }],
  '30d': (today) => [addDays(today, -29), addDays(today, 1), { days: 30 }],
  '90d': (today) => [addDays(today, -89), addDays(today, 1), { days: 90 }],
  wtd: (today) => [mondayOf(today), addDays(today, 1), { days: 7 }],
  month: (today) => [monthOf(today), addDays(today, 1), { months: 1 }],
  last_month: (today) => [addMonths(monthOf(today), -1), monthOf(today), { months: 1 }],
  quarter: (today) => [quarterOf(today), addDays(today, 1), { months: 3 }],
  last_quarter: (today) => [addMonths(quarterOf(today), -3), quarterOf(today), { months: 3 }],
  ytd: (today) => [`${today.slice(0, 4)}-01-01`, addDays(today, 1), { months: 12 }],
  '1y': (today) => [addDays(addMonths(today, -12), 1), addDays(today, 1), { months: 12 }],
};

const HOURS: Partial<Record<Period, number>> = { '1h': HOUR_MS, '24h': DAY_MS };

/** Returns the span of a period; `undefined` for `all`, which starts with the first event. */
export function spanOf(period: Period, timeZone: string, now: number): Span | undefined {
  return resolve(period, timeZone, now)?.span;
}

function resolve(period: Period, timeZone: string, now: number) {
  if (period === 'all') return undefined;
  const ms = HOURS[period];
  if (ms !== undefined) {
    const span = { start: new Date(now - ms).toISOString(), end: new Date(now).toISOString() };
    return { span, distance: { ms } };
  }
  const today = dayOf(new Date(now).toISOString(), timeZone);
  const [first, end, distance] = DAYS_OF[period as keyof typeof DAYS_OF](today);
  return { span: { start: startOfDay(first, timeZone), end: startOfDay(end, timeZone) }, distance };
}

/** A period and its comparison period. */
interface Compared {
  /** Span of the period; absent for all time. */
  shown: Span | undefined;
  /**
   * Span of the comparison period, cut to the same length while the period is running; absent if
   * the comparison is with another value, or with nothing.
   */
  before: Span | undefined;
  /** True while the period is not over, so that its last step still grows. */
  isRunning: boolean;
}

/** Calculates the spans of a query at a moment. */
export function comparedSpans(
  { interval, start, end, compare }: EventQuery,
  timeZone: string,
  now: number,
): Compared {
  const isCustom = interval === undefined && start !== undefined && end !== undefined;
  const resolved = isCustom
    ? { span: { start, end }, distance: lengthOf({ start, end }, timeZone) }
    : resolve(interval ?? '30d', timeZone, now);
  if (resolved === undefined) return { shown: undefined, before: undefined, isRunning: true };
  const { span } = resolved;
  if (compare !== undefined && compare !== 'year') {
    const [from, to] = [Date.parse(span.start), Date.parse(span.end)];
    return { shown: span, before: undefined, isRunning: now >= from && now <= to };
  }
  const distance = compare === 'year' ? { months: 12 } : resolved.distance;
  const before = {
    start: shift(span.start, distance, timeZone),
    end: shift(span.end, distance, timeZone),
  };
  const [from, to] = [Date.parse(span.start), Date.parse(span.end)];
  const isRolling = !isCustom && HOURS[interval ?? '30d'] !== undefined;
  if (now < from || now >= to || isRolling) return { shown: span, before, isRunning: isRolling };
  // The comparison is cut to the elapsed number of days and the current time of day.
  const today = dayOf(new Date(now).toISOString(), timeZone);
  const days = daysBetween(dayOf(span.start, timeZone), today);
  const day = addDays(dayOf(before.start, timeZone), days);
  const time = now - Date.parse(startOfDay(today, timeZone));
  const sameHour = Date.parse(startOfDay(day, timeZone)) + time;
  // A shorter month ends earlier.
  const cut = Math.min(sameHour, compare === 'year' ? Date.parse(before.end) : from);
  return {
    shown: span,
    before: { start: before.start, end: new Date(cut).toISOString() },
    isRunning: true,
  };
}

/**
 * Returns the length of a span: in days if it starts and ends at midnight, since a day can have 23
 * or 25 hours; otherwise in ms.
 */
function lengthOf({ start, end }: Span, timeZone: string): Distance {
  const [first, last] = [dayOf(start, timeZone), dayOf(end, timeZone)];
  const isWhole = [
    [start, first],
    [end, last],
  ].every(([moment, day]) => Date.parse(startOfDay(day!, timeZone)) === Date.parse(moment!));
  return isWhole ? { days: daysBetween(first, last) } : { ms: Date.parse(end) - Date.parse(start) };
}

/** Moves a moment back by a distance, keeping the time of day. */
function shift(moment: string, { months = 0, days = 0, ms = 0 }: Distance, timeZone: string) {
  if (ms > 0) return new Date(Date.parse(moment) - ms).toISOString();
  const day = dayOf(moment, timeZone);
  const time = Date.parse(moment) - Date.parse(startOfDay(day, timeZone));
  const other = startOfDay(addDays(addMonths(day, -months), -days), timeZone);
  return new Date(Date.parse(other) + time).toISOString();
}
