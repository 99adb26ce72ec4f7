/** Length in months of Dub's intervals without a counterpart: this month, this quarter. */
const MONTHS: ReadonlyMap<string, number> = new Map([
  ['mtd', 1],
  ['qtd', 3],
]);

/**
 * Returns the start of an interval that only Dub has, as ISO 8601.
 *
 * @returns `undefined` for any other interval, and for an unknown time zone
 */
export function startOf(
  interval: string | undefined,
  timezone: string,
  now = new Date(),
): string | undefined {
  const months = MONTHS.get(interval ?? '');
  if (months === undefined || !isTimezone(timezone)) return undefined;
  const [year, month] = partsOf(now, timezone, { year: 'numeric', month: 'numeric' });
  const first = month! - ((month! - 1) % months);
  // A day begins locally when the time in the zone, read as UTC, is that day.
  const local = Date.UTC(year!, first - 1, 1);
  const offset = offsetAt(new Date(local), timezone);
  return new Date(local - offsetAt(new Date(local - offset), timezone)).toISOString();
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format();
    return true;
  } catch {
    return false;
  }
}

/** Returns the offset of local time from UTC at a point in time, in ms. */
function offsetAt(at: Date, timezone: string): number {
  const [year, month, day, hour, minute, second] = partsOf(at, timezone, {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const local = Date.UTC(year!, month! - 1, day, hour, minute, second);
  return local - Math.floor(at.getTime() / 1000) * 1000;
}

/** Returns the parts of a local time, in the order year, month, day, hour, minute and second. */
function partsOf(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions): number[] {
  const parts = new Intl.DateTimeFormat('en', {
    ...options,
    timeZone,
    hourCycle: 'h23',
  }).formatToParts(at);
  return (['year', 'month', 'day', 'hour', 'minute', 'second'] as const).flatMap((type) => {
    const part = parts.find((candidate) => candidate.type === type);
    return part === undefined ? [] : [Number(part.value)];
  });
}
