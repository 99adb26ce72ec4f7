const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
});

/** Shows a relative time, such as "3 hours ago", with the exact time as its tooltip. */
export function Time({ at }: { at: string }) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={absoluteTime(at)} className="whitespace-nowrap">
      {fromNow(moment)}
    </time>
  );
}

/** Formats a time in the browser's time zone: "Sep 1, 2026, 08:00". */
export const absoluteTime = (at: string): string => absolute.format(new Date(at));

/** Formats a relative time: "3 hours ago". */
export function fromNow(moment: Date): string {
  const seconds = (moment.getTime() - Date.now()) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) < length) continue;
    const count = seconds / length;
    // Rounding keeps "in 7 days" for a link valid for seven days, even a second after its creation.
    return relative.format(count > 0 ? Math.round(count) : Math.trunc(count), unit);
  }
  return seconds > 0 ? 'in a moment' : 'just now';
}

/** True for a time in the past. */
export const isPast = (at: string): boolean => Date.parse(at) <= Date.now();

/** Formats a time for a `datetime-local` field in the browser's time zone. */
export function toLocal(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Converts the value of a `datetime-local` field to ISO 8601; `null` for an empty field. */
export const fromLocal = (text: string): string | null =>
  text === '' ? null : new Date(text).toISOString();
