import * as zones from '../../infra/time-zones.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the start of a day in a time zone: its first instant, if clocks show midnight twice.
 *
 * @param day `2026-11-22`
 */
export const startOfDay = (day: string, timeZone: string): string =>
  new Date(zones.startOfDay(Date.parse(day), timeZone)).toISOString();

/** Returns the day of a moment in a time zone. */
export const dayOf = (moment: string, timeZone: string): string =>
  new Date(zones.localTime(Date.parse(moment), timeZone)).toISOString().slice(0, 10);

/** Adds days to a day. */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

/** Adds months to a day; if the resulting month is shorter, returns its last day. */
export function addMonths(day: string, count: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + count, Math.min(date, last)))
    .toISOString()
    .slice(0, 10);
}

/** Returns the Monday of the day's week. */
export const mondayOf = (day: string): string =>
  new Date(zones.mondayOf(Date.parse(day))).toISOString().slice(0, 10);

/** Returns the first day of the day's month; `quarterOf` does the same for its quarter. */
export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`;
export const quarterOf = (day: string): string =>
  addMonths(monthOf(day), -((Number(day.slice(5, 7)) - 1) % 3));

/** Counts the days from the first to the second. */
export const daysBetween = (first: string, second: string): number =>
  Math.round((Date.parse(second) - Date.parse(first)) / DAY_MS);

let timezone: string | undefined;

/** Returns the browser's time zone, which takes milliseconds to find. */
export const browserTimezone = (): string =>
  (timezone ??= Intl.DateTimeFormat().resolvedOptions().timeZone);
