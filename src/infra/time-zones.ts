import { memoize } from './memoize.ts';

/*
 * Days and local times of IANA time zones, from the tables of Intl. A local time is the number of
 * ms at which a clock in UTC shows it. The console uses these functions too.
 */

const DAY_MS = 86_400_000;

const formatOf = memoize(
  (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }),
  new Map(),
);

/** End of a formatted date: `GMT+05:45`, or with seconds before zones had whole minutes. */
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Returns the offset of local time from UTC at an instant, in ms. */
export function offsetAt(at: number, timezone: string): number {
  const parts = OFFSET.exec(formatOf(timezone).format(at))!;
  const [, sign, hours = 0, minutes = 0, seconds = 0] = parts;
  const offset = 1_000 * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds));
  return sign === '-' ? -offset : offset;
}

/** Returns the local time at an instant. */
export const localTime = (at: number, timezone: string): number => at + offsetAt(at, timezone);

/** Returns the day of a local time: its midnight, as a local time. */
export const dayOf = (local: number): number => Math.floor(local / DAY_MS) * DAY_MS;

/** Returns the Monday of a day's week (ISO 8601). */
export const mondayOf = (day: number): number =>
  day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;

/** Returns the first day of the month that is a number of months before a day's month. */
export function firstOfMonth(day: number, monthsBefore = 0): number {
  const date = new Date(day);
  return date.setUTCMonth(date.getUTCMonth() - monthsBefore, 1);
}

/**
 * Returns the instant of a local time. If clocks show it twice, it is the first time; if they skip
 * it, it is later by as much as they skip: the rule `compatible` of Temporal (RFC 5545, 3.3.5).
 */
export function instantOf(local: number, timezone: string): number {
  return instantsOf(local, timezone).at;
}

/**
 * Returns the first instant of a local day. A day that a zone left out, such as 30 December 2011 in
 * Pacific/Apia, has the first instant of the next day.
 *
 * @param day midnight as a local time, which clocks may skip or show twice
 */
export function startOfDay(day: number, timezone: string): number {
  const { at, gap } = instantsOf(day, timezone);
  if (gap === undefined) return at;
  // Midnight is skipped, not always as the first minute of what is skipped: the day begins when
  // clocks change.
  let [before, after] = gap;
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2_000) * 1_000;
    if (localTime(middle, timezone) < day) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * Returns the instant of a local time.
 *
 * @returns also an instant before and one after the change of clocks that skips the local time
 */
function instantsOf(
  local: number,
  timezone: string,
): { at: number; gap?: [before: number, after: number] } {
  // Offsets are less than a day, so these are the offsets before and after a change near the time.
  const earlier = offsetAt(local - DAY_MS, timezone);
  const later = offsetAt(local + DAY_MS, timezone);
  const [first, last] = [local - Math.max(earlier, later), local - Math.min(earlier, later)];
  if (first === last || localTime(first, timezone) === local) return { at: first };
  if (localTime(last, timezone) === local) return { at: last };
  return { at: last, gap: [first, last] };
}
