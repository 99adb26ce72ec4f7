const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const format = new Intl.RelativeTimeFormat(undefined, { style: 'narrow', numeric: 'auto' });

/** How long ago a time was: "2 h ago". */
export function ago(time: string): string {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return format.format(-Math.trunc(seconds / length), unit);
  }
  return 'just now';
}

/** True when a time is over. */
export const isPast = (time: string): boolean => Date.parse(time) < Date.now();

/** A time as the field of type `datetime-local` has it, in the zone of the browser. */
export function toLocal(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The same back; an empty field is no time. */
export const fromLocal = (text: string): string | null =>
  text === '' ? null : new Date(text).toISOString();
