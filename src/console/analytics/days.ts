const DAY_MS = 86_400_000;

/**
 * Returns the start of a day in a time zone.
 *
 * @param day `2026-11-22`
 */
export function startOfDay(day: string, timeZone: string): string {
  const utc = Date.parse(`${day}T00:00:00Z`);
  // If clocks change between UTC midnight and local midnight, the two offsets differ, so the offset
  // is looked up again at the guess.
  const guess = utc - offsetAt(utc, timeZone);
  return new Date(utc - offsetAt(guess, timeZone)).toISOString();
}

/** Returns the day of a moment in a time zone. */
export function dayOf(moment: string, timeZone: string): string {
  const at = Date.parse(moment);
  return new Date(at + offsetAt(at, timeZone)).toISOString().slice(0, 10);
}

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

/** Returns the first day of the day's month; `quarterOf` does the same for its quarter. */
export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`;
export const quarterOf = (day: string): string =>
  addMonths(monthOf(day), -((Number(day.slice(5, 7)) - 1) % 3));

/** Counts the days from the first to the second. */
export const daysBetween = (first: string, second: string): number =>
  Math.round((Date.parse(second) - Date.parse(first)) / DAY_MS);

/** Returns the offset of a time zone from UTC in ms. */
export function offsetAt(at: number, timeZone: string): number {
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
