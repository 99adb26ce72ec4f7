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

/** A time as seen from now, with the moment itself as tooltip: "3 hours ago". */
export function Time({ at }: { at: string }) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={absolute.format(moment)} className="whitespace-nowrap">
      {fromNow(moment)}
    </time>
  );
}

/** A time as seen from now: "3 hours ago". */
export function fromNow(moment: Date): string {
  const seconds = (moment.getTime() - Date.now()) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) < length) continue;
    const count = seconds / length;
    // A link that is valid for seven days says "in 7 days" a second later, too.
    return relative.format(count > 0 ? Math.round(count) : Math.trunc(count), unit);
  }
  return seconds > 0 ? 'in a moment' : 'just now';
}

/** True once a time has come. */
export const isPast = (at: string): boolean => Date.parse(at) <= Date.now();

/** A time for a field of type `datetime-local`, in the time zone of the browser. */
export function toLocal(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The time in a field of type `datetime-local`, as ISO 8601; `null` for an empty field. */
export const fromLocal = (text: string): string | null =>
  text === '' ? null : new Date(text).toISOString();
