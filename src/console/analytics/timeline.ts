import { localTime } from '../../infra/time-zones.ts';
import { addDays, addMonths, dayOf, monthOf, startOfDay } from './days.ts';
import { momentFormat } from './names.ts';
import type { Span } from './periods.ts';

/** Step of a time series, as chosen by the API. */
export type Step = 'minute' | 'hour' | 'day' | 'month';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longest span for which the API returns days, in ms. */
const DAYS_MS = 100 * DAY_MS;

/** Derives the step from the starts of a series; a single start means a day. */
export function stepOf(starts: readonly string[]): Step {
  const [first, second] = starts;
  if (first === undefined || second === undefined) return 'day';
  // The first step may be partial, but the last two starts are always a whole step apart.
  const ms = Date.parse(starts.at(-1)!) - Date.parse(starts.at(-2)!);
  if (ms < HOUR_MS) return 'minute';
  if (ms < 20 * HOUR_MS) return 'hour';
  return ms < 20 * DAY_MS ? 'day' : 'month';
}

/** Returns the formats of the times of steps: short for axes, long elsewhere. */
export function stepNames(step: Step, timeZone: string) {
  const time = { hour: '2-digit', minute: '2-digit' } as const;
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

/** Returns the end of a step. */
export function stepEnd(start: string, step: Step, timeZone: string): string {
  if (step === 'minute' || step === 'hour') {
    return new Date(Date.parse(start) + (step === 'hour' ? HOUR_MS : 60_000)).toISOString();
  }
  const day = dayOf(start, timeZone);
  return startOfDay(step === 'day' ? addDays(day, 1) : addMonths(monthOf(day), 1), timeZone);
}

/** Splits a span into parts for which the API returns days, to compare even a year by days. */
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

/** Sums the rows of a series by a longer step. */
export function rowsBySteps<Row extends { start: string }>(
  rows: readonly Row[],
  step: Step,
  timeZone: string,
): Row[] {
  const groups = new Map<string | number, Row>();
  for (const row of rows) {
    const key = stepKeyOf(row.start, step, timeZone);
    const sum = groups.get(key);
    groups.set(key, sum === undefined ? row : added(sum, row));
  }
  return [...groups.values()];
}

function stepKeyOf(start: string, step: Step, timeZone: string): string | number {
  if (step === 'minute') return start;
  if (step === 'day') return dayOf(start, timeZone);
  if (step === 'month') return dayOf(start, timeZone).slice(0, 7);
  // Local time matters, because some time zones differ by half an hour.
  return Math.floor(localTime(Date.parse(start), timeZone) / HOUR_MS);
}

/**
 * Finds the compared row of each row: the one as many days, months or hours of local time after the
 * first, whatever the clocks do between. A day in which an hour is skipped has no row for it, and
 * both hours of one that comes twice have the same row.
 */
export function alignedTo<Row extends { start: string }>(
  rows: readonly { start: string }[],
  compared: readonly Row[],
  step: Step,
  timeZone: string,
): (Row | undefined)[] {
  if (step === 'minute') return rows.map((_, index) => compared[index]);
  const [first, firstCompared] = [rows[0], compared[0]];
  if (first === undefined || firstCompared === undefined) return rows.map(() => undefined);
  const placeOf = (start: string) => placeIn(start, step, timeZone);
  const distance = placeOf(firstCompared.start) - placeOf(first.start);
  const byPlace = new Map(compared.map((row) => [placeOf(row.start), row]));
  return rows.map(({ start }) => byPlace.get(placeOf(start) + distance));
}

/** Numbers the steps of a time zone's calendar and clocks. */
function placeIn(start: string, step: Exclude<Step, 'minute'>, timeZone: string): number {
  const local = localTime(Date.parse(start), timeZone);
  if (step === 'hour') return Math.floor(local / HOUR_MS);
  const day = new Date(local);
  return step === 'day'
    ? Math.floor(local / DAY_MS)
    : day.getUTCFullYear() * 12 + day.getUTCMonth();
}

/** Adds the numbers of the second row to the first. */
const added = <Row extends { start: string }>(first: Row, second: Row): Row => {
  const numbers = Object.entries(second).filter(([, value]) => typeof value === 'number');
  const sums = numbers.map(([name, value]) => [
    name,
    Number((first as Record<string, unknown>)[name] ?? 0) + Number(value),
  ]);
  return { ...first, ...Object.fromEntries(sums) };
};
