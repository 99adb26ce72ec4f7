import { endIn, startIn, toInstant } from '../../http/iso-time.ts';
import { browserTimezone } from './days.ts';

/** Names of the metrics in display order. */
const METRIC_NAMES = {
  clicks: 'Clicks',
  scans: 'Scans',
  views: 'Page views',
  leads: 'Leads',
  sales: 'Sales',
  refunds: 'Refunds',
  revenue: 'Revenue',
} as const;

/** A number that a view can show: the count of a kind of event, or the net amount of sales. */
export type Metric = keyof typeof METRIC_NAMES;

/** A kind of event, as the API's `event` parameter names it. */
export type Kind = Exclude<Metric, 'revenue'>;

/** Kinds of events in display order. */
export const KINDS = (Object.keys(METRIC_NAMES) as Metric[]).filter(
  (metric) => metric !== 'revenue',
);
/** Values of the parameter `event` in URLs of the console. */
const EVENTS = [...KINDS, 'revenue'] as const;
/** Metrics with a tile. Refunds have none: revenue is less refunds. */
export const METRICS = (Object.keys(METRIC_NAMES) as Metric[]).filter(
  (metric) => metric !== 'refunds',
);
export const nameOfMetric = (metric: Metric = 'clicks'): string => METRIC_NAMES[metric];

/** Returns the kind of event that a metric belongs to. */
export const kindOf = (metric: Metric = 'clicks'): Kind =>
  metric === 'revenue' ? 'sales' : metric;

/** Calendar periods, which the console sends as `start` and `end`. */
const CALENDAR_PERIODS = ['month', 'last_month', 'quarter', 'last_quarter'] as const;
type CalendarPeriod = (typeof CALENDAR_PERIODS)[number];
export const isCalendarPeriod = (period: Period): period is CalendarPeriod =>
  isOneOf(CALENDAR_PERIODS, period);

/** Names of the periods in display order: values of the API's `interval`, and calendar periods. */
export const PERIOD_NAMES = {
  today: 'Today',
  yesterday: 'Yesterday',
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '1y': 'Last 12 months',
  wtd: 'This week',
  month: 'This month',
  last_month: 'Last month',
  quarter: 'This quarter',
  last_quarter: 'Last quarter',
  ytd: 'This year',
  all: 'All time',
} as const;
export type Period = keyof typeof PERIOD_NAMES;
export const PERIODS = Object.keys(PERIOD_NAMES) as Period[];

/**
 * Event filters with their labels and the kind of value that they take: one, several, or several
 * parts of a text.
 */
export const FILTERS = {
  linkId: { name: 'Link', takes: 'many' },
  qrcodeId: { name: 'QR code', takes: 'many' },
  pageId: { name: 'Page', takes: 'many' },
  folderId: { name: 'Folder', takes: 'many' },
  tagId: { name: 'Tag', takes: 'many' },
  domain: { name: 'Domain', takes: 'many' },
  continent: { name: 'Continent', takes: 'many' },
  country: { name: 'Country', takes: 'many' },
  city: { name: 'City', takes: 'many' },
  device: { name: 'Device', takes: 'many' },
  browser: { name: 'Browser', takes: 'many' },
  os: { name: 'System', takes: 'many' },
  source: { name: 'Source', takes: 'many' },
  referer: { name: 'Referrer', takes: 'part' },
  url: { name: 'Destination', takes: 'part' },
  variant: { name: 'Variant', takes: 'many' },
  utm_source: { name: 'UTM source', takes: 'many' },
  utm_medium: { name: 'UTM medium', takes: 'many' },
  utm_campaign: { name: 'UTM campaign', takes: 'many' },
  utm_term: { name: 'UTM term', takes: 'many' },
  utm_content: { name: 'UTM content', takes: 'many' },
  traffic: { name: 'Traffic', takes: 'one' },
} as const satisfies Record<string, { name: string; takes: 'one' | 'many' | 'part' }>;
export type Filter = keyof typeof FILTERS;
export type UtmFilter = Extract<Filter, `utm_${string}`>;

export const FILTER_LIST = Object.keys(FILTERS) as Filter[];
export const nameOfFilter = (filter: Filter): string => FILTERS[filter].name;

/** True for a filter that matches a part of a text. */
export const isPartial = (filter: Filter): boolean => FILTERS[filter].takes === 'part';
/** Returns the operator of a filter in words. */
export const verbOf = (filter: Filter, isExcluding: boolean): string => {
  if (isPartial(filter)) return isExcluding ? 'doesn’t contain' : 'contains';
  return isExcluding ? 'is not' : 'is';
};
/** True for a filter that takes several values, which can be excluded too. */
export const isMultiple = (filter: Filter): boolean => FILTERS[filter].takes !== 'one';

/** Filter values by name; several values are joined by {@link textOf}. */
export type Filters = Partial<Record<Filter, string>> & {
  /** Names of the filters whose values are excluded, joined by commas. */
  exclude?: string;
};

/** Joins the values of a filter by commas; commas in them are encoded. */
export const textOf = (values: readonly string[]): string =>
  values.map((value) => value.replaceAll(/%(?=2C|25)|,/g, encodeURIComponent)).join(',');
/** Returns the values that {@link textOf} joined. */
export const valuesOf = (text: string | undefined): string[] =>
  listOf(text).map((value) => value.replaceAll(/%2C|%25/g, decodeURIComponent));

export const isExcluded = (filters: Filters, filter: Filter): boolean =>
  listOf(filters.exclude).includes(filter);

/** Returns a change that sets if a filter excludes its values. */
export const excluding = (
  filters: Filters,
  filter: Filter,
  isExcluding: boolean,
): { exclude: string | undefined } => {
  const others = listOf(filters.exclude).filter((name) => name !== filter);
  const names = isExcluding ? [...others, filter] : others;
  return { exclude: names.length === 0 ? undefined : names.join(',') };
};

/**
 * Search parameters in the URL of a view of events. Without `interval` and `start`, the period is
 * the last 30 days. Moments are ISO 8601. Without `timezone`, the browser's time zone applies.
 */
export interface EventQuery extends Filters {
  interval?: Period;
  start?: string;
  end?: string;
  timezone?: string;
  /**
   * Comparison: the same period a year earlier, nothing, or another value of a filter, which is
   * `against`; absent for the previous period.
   */
  compare?: Compare;
  against?: string;
  event?: Metric;
  /** Chosen tabs of the cards, joined by commas. */
  tabs?: string;
  /** Tab whose values are all listed in a dialog. */
  group?: string;
  /** Names of parameters that were removed because their values do not exist, joined by commas. */
  ignored?: string;
}

/** A comparison of the numbers with others than those of the previous period. */
export type Compare = 'year' | 'none' | Filter;

const isOneOf = <T extends string>(names: readonly T[], value: unknown): value is T =>
  names.some((name) => name === value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTime = (value: unknown): value is string => isText(value) && toInstant(value) !== undefined;

function isTimezone(value: unknown): value is string {
  if (!isText(value)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Parses the URL's search parameters, removes invalid values and lists them in `ignored`. */
export function readEventQuery(search: Record<string, unknown>): EventQuery {
  const { interval, start, end, timezone, event, tabs, group } = search;
  const span = spanIn(isTimezone(timezone) ? timezone : browserTimezone(), start, end);
  const ignored = [
    ...listOf(search['ignored']),
    ...(isText(interval) && !isOneOf(PERIODS, interval) ? ['interval'] : []),
    ...(!isText(interval) && (isText(start) || isText(end)) && span === undefined ? ['start'] : []),
    ...(isText(timezone) && !isTimezone(timezone) ? ['timezone'] : []),
    ...(isText(event) && !isOneOf(EVENTS, event) ? ['event'] : []),
  ];
  return {
    ...(isOneOf(PERIODS, interval) ? { interval } : span),
    ...(isTimezone(timezone) && { timezone }),
    ...comparisonOf(search),
    ...(isOneOf(EVENTS, event) && { event }),
    ...(isText(tabs) && { tabs }),
    ...(isText(group) && { group }),
    ...(ignored.length > 0 && { ignored: [...new Set(ignored)].join(',') }),
    ...filtersOf(search),
  };
}

/** Returns the comparison; one with another value of a filter needs the filter. */
function comparisonOf({ compare, against, ...search }: Record<string, unknown>) {
  if (compare === 'year' || compare === 'none') return { compare } as const;
  if (!isOneOf(FILTER_LIST, compare) || !isText(search[compare]) || !isText(against)) return {};
  return { compare, against };
}

/** Returns the span of dates or times as moments, by the rules of the API. */
function spanIn(timezone: string, start: unknown, end: unknown) {
  if (!isTime(start) || !isTime(end)) return undefined;
  const [from, to] = [startIn(timezone, start), endIn(timezone, end)];
  return from < to ? { start: from.toISOString(), end: to.toISOString() } : undefined;
}

/** Splits a list that is joined by commas. */
export const listOf = (value: unknown): string[] => (isText(value) ? value.split(',') : []);

/** Returns only the filters of a query. */
export function filtersOf(search: Record<string, unknown>): Filters {
  const filters: Filters = Object.fromEntries(
    FILTER_LIST.flatMap((name) => (isText(search[name]) ? [[name, search[name]]] : [])),
  );
  const excluded = listOf(search['exclude']).filter(
    (name) => isOneOf(FILTER_LIST, name) && isMultiple(name) && filters[name] !== undefined,
  );
  return excluded.length === 0 ? filters : { ...filters, exclude: excluded.join(',') };
}
