import { momentFormat } from './names.ts';
import type { Interval } from './question.ts';

/** The step of a time series, as the API chooses it. */
export type Step = 'minute' | 'hour' | 'day' | 'month';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longest span that the API answers by days, in ms. */
const DAYS_MS = 100 * DAY_MS;

/** The step between two beginnings; of a single one it is a day. */
export function stepOf(starts: readonly string[]): Step {
  const [first, second] = starts;
  if (first === undefined || second === undefined) return 'day';
  // The first step may have begun before the span; the last two are never shortened.
  const ms = Date.parse(starts.at(-1)!) - Date.parse(starts.at(-2)!);
  if (ms < HOUR_MS) return 'minute';
  if (ms < 20 * HOUR_MS) return 'hour';
  return ms < 20 * DAY_MS ? 'day' : 'month';
}

/** Names steps: short for axes, long for everything else. */
export function stepNames(step: Step, timeZone: string) {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const fields: Record<Step, [Intl.DateTimeFormatOptions, Intl.DateTimeFormatOptions]> = {
    minute: [time, { ...time, day: 'numeric', month: 'short' }],
    hour: [time, { ...time, weekday: 'short', day: 'numeric', month: 'short' }],
    day: [
      { day: 'numeric', month: 'short' },
      { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ],
    month: [
      { month: 'short', year: '2-digit' },
      { month: 'long', year: 'numeric' },
    ],
  };
  const [short, long] = fields[step];
  return { short: momentFormat(timeZone, short), long: momentFormat(timeZone, long) };
}

/** A span of time, its end not included. */
export interface Span {
  start: string;
  end: string;
}

/** Parts of a span for which the API answers by days, so that a year can be compared day by day. */
export function daySpans({ start, end }: Span, timeZone: string): Span[] {
  const length = Date.parse(end) - Date.parse(start);
  const count = Math.max(1, Math.ceil(length / DAYS_MS));
  const days = Math.ceil(length / DAY_MS / count);
  const first = dayOf(start, timeZone);
  const bounds = Array.from({ length: count - 1 }, (_, index) =>
    startOfDay(addDays(first, (index + 1) * days), timeZone),
  );
  return [...bounds, end].map((to, index) => ({ start: bounds[index - 1] ?? start, end: to }));
}

/** Days that an interval goes back from today. */
const DAYS_BACK: Partial<Record<Interval, number>> = { '7d': 6, '30d': 29, '90d': 89 };

/** The span of an interval as the API resolves it; `undefined` for one that begins with the first event. */
export function spanOf(interval: Interval, timeZone: string, now: number): Span | undefined {
  if (interval === 'all') return undefined;
  if (interval === '1h' || interval === '24h') {
    const start = new Date(now - (interval === '1h' ? HOUR_MS : DAY_MS)).toISOString();
    return { start, end: new Date(now).toISOString() };
  }
  const today = dayOf(new Date(now).toISOString(), timeZone);
  const year = Number(today.slice(0, 4));
  const lastYear = `${year - 1}${today.slice(4)}`.replace('-02-29', '-02-28');
  const first = { ytd: `${year}-01-01`, '1y': addDays(lastYear, 1) }[interval as string];
  return {
    start: startOfDay(first ?? addDays(today, -DAYS_BACK[interval]!), timeZone),
    end: startOfDay(addDays(today, 1), timeZone),
  };
}

/** The preceding span of the same length, as `kpis` compares. */
export function spanBefore({ start, end }: Span): Span {
  const length = Date.parse(end) - Date.parse(start);
  return { start: new Date(Date.parse(start) - length).toISOString(), end: start };
}

/** The moment a day begins in a time zone. @param day `2026-11-22` */
export function startOfDay(day: string, timeZone: string): string {
  const utc = Date.parse(`${day}T00:00:00Z`);
  // The offset at the guess may differ from that at midnight, when clocks change in between; the second one is right.
  const guess = utc - offsetAt(utc, timeZone);
  return new Date(utc - offsetAt(guess, timeZone)).toISOString();
}

/** The day of a moment in a time zone. */
export function dayOf(moment: string, timeZone: string): string {
  const at = Date.parse(moment);
  return new Date(at + offsetAt(at, timeZone)).toISOString().slice(0, 10);
}

/** The day some days after another. */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

/** Offset of a time zone from UTC, in ms. */
function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)!.value);
  const local = Date.UTC(
    of('year'),
    of('month') - 1,
    of('day'),
    of('hour'),
    of('minute'),
    of('second'),
  );
  return local - Math.floor(at / 1_000) * 1_000;
}
