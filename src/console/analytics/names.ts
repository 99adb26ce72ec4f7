import type { Interval, Metric } from './question.ts';

const METRIC_NAMES: Record<Metric, string> = {
  clicks: 'Clicks',
  scans: 'Scans',
  views: 'Views',
  leads: 'Leads',
  sales: 'Sales',
  revenue: 'Revenue',
};
export const nameOfMetric = (metric: Metric = 'clicks'): string => METRIC_NAMES[metric];

export const INTERVAL_NAMES: Record<Interval, string> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  ytd: 'This year',
  '1y': 'Last 12 months',
  all: 'All time',
};

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

/** Name of a country by its code, ISO 3166-1 alpha-2; other texts as they are. */
export const nameOfCountry = (code: string): string =>
  /^[A-Z]{2}$/.test(code) ? (regions.of(code) ?? code) : unknownOr(code);
export const nameOfContinent = (code: string): string => CONTINENT_NAMES[code] ?? unknownOr(code);
/** Where nothing is known, the API answers an empty text or `Unknown`. */
export const unknownOr = (text: string): string => (text === '' ? 'Unknown' : text);
/** The API answers `(direct)` for visits without a referring page. */
export const nameOfSource = (text: string): string =>
  text === '(direct)' ? 'Direct' : unknownOr(text);

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
/** A number as it is read: counts as they are, amounts in US dollars. */
export const formatMetric = (metric: Metric = 'clicks', value: number): string =>
  metric === 'revenue' ? formatCents(value) : formatCount(value);
/** A number where there is little room. */
export const formatShortMetric = (metric: Metric = 'clicks', value: number): string =>
  metric === 'revenue' ? formatShortCents(value) : formatShort(value);
/** @param part of 1 */
export const formatShare = (part: number): string => percent.format(part);

/** Formats moments in a time zone, with the fields that are asked for. */
export const momentFormat = (
  timeZone: string,
  fields: Intl.DateTimeFormatOptions,
): ((moment: string | number) => string) => {
  const format = new Intl.DateTimeFormat('en', { timeZone, ...fields });
  return (moment) => format.format(new Date(moment));
};

/** The time zone of the browser. */
export const browserTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
