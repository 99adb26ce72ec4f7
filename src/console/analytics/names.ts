import type { EventQuery, Metric } from './event-query.ts';

const CONTINENT_NAMES: Record<string, string> = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
};

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Returns the name of a country by its ISO 3166-1 code; other texts stay unchanged. */
export const nameOfCountry = (code: string): string =>
  /^[A-Z]{2}$/.test(code) ? (regions.of(code) ?? code) : unknownOr(code);
export const nameOfContinent = (code: string): string => CONTINENT_NAMES[code] ?? unknownOr(code);
/** The API's text for an unknown value; it uses an empty text too. */
const UNKNOWN = /* value */ 'Unknown';
/** True for a value that the API knows. */
export const isKnown = (text: string): boolean => text !== '' && text !== UNKNOWN;
/** Returns "Unknown" for an unknown value. */
export const unknownOr = (text: string): string => (isKnown(text) ? text : 'Unknown');
/** Returns the label of a source; the API uses `(direct)` for visits without a referring page. */
export const nameOfSource = (text: string): string =>
  text === '(direct)' ? 'Direct' : unknownOr(text);

const DEVICE_NAMES: Readonly<Record<string, string>> = {
  Desktop: 'Desktop',
  Mobile: 'Mobile',
  Tablet: 'Tablet',
  Smarttv: 'Smarttv',
  Console: 'Console',
  Wearable: 'Wearable',
  Embedded: 'Embedded',
};
/** Returns the name of a type of device; other texts stay unchanged. */
export const nameOfDevice = (device: string): string => DEVICE_NAMES[device] ?? unknownOr(device);

const TRAFFIC_NAMES: Record<NonNullable<EventQuery['traffic']>, string> = {
  person: 'People',
  suspect: 'Suspects',
  all: 'People and suspects',
};
export const TRAFFIC = Object.keys(TRAFFIC_NAMES);
/** Returns the label of a value of the filter by traffic. */
export const nameOfTraffic = (traffic: string): string => TRAFFIC_NAMES[traffic] ?? traffic;

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const shortDollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
});
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

export const formatCount = (count: number): string => whole.format(count);
export const formatShort = (count: number): string => short.format(count);
export const formatCents = (cents: number): string => dollars.format(cents / 100);
export const formatShortCents = (cents: number): string => shortDollars.format(cents / 100);
/** Formats a number: counts in full, amounts in US dollars. */
export const formatMetric = (metric: Metric = 'clicks', value: number): string =>
  metric === 'revenue' ? formatCents(value) : formatCount(value);
/** Formats a number of visitors: "1 visitor", "2 visitors". */
export const nameOfVisitors = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'visitor' : 'visitors'}`;
/** Formats a number for narrow spaces. */
export const formatShortMetric = (metric: Metric = 'clicks', value: number): string =>
  metric === 'revenue' ? formatShortCents(value) : formatShort(value);
/**
 * Formats a fraction as a percentage.
 *
 * @param part fraction from 0 to 1
 */
export const formatShare = (part: number): string => percent.format(part);

/** Creates a format of moments in a time zone, with a 24-hour clock and the requested fields. */
export const momentFormat = (
  timeZone: string,
  fields: Intl.DateTimeFormatOptions,
): ((moment: string | number) => string) => {
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', ...fields });
  return (moment) => format.format(new Date(moment));
};

const DURATIONS: readonly [seconds: number, one: string, unit: string][] = [
  [86_400, 'a day', 'day'],
  [3_600, 'an hour', 'hour'],
  [60, 'a minute', 'minute'],
  [1, 'a second', 'second'],
];
/** Formats a duration in its largest whole unit: "an hour", "90 minutes". */
export function nameOfDuration(seconds: number): string {
  const [length, one, unit] = DURATIONS.find(([each]) => seconds % each === 0)!;
  if (seconds === length) return one;
  const format = new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(seconds / length);
}
