import { endIn, startIn, toInstant } from '../../http/iso-time.ts';
import type { operations } from '../api/client.ts';
import { browserTimezone } from './days.ts';

type Query = NonNullable<operations['retrieveAnalytics']['parameters']['query']>;

/** A kind of event, as the API's `event` parameter names it. */
export type Kind = Exclude<NonNullable<Query['event']>, 'composite'>;

/** A number that a view can show: the count of a kind of event, or the net amount of sales. */
export type Metric = Kind | 'revenue';

/** Names of the metrics in display order. */
const METRIC_NAMES: Record<Metric, string> = {
  clicks: 'Clicks',
  scans: 'Scans',
  views: 'Page views',
  leads: 'Leads',
  sales: 'Sales',
  refunds: 'Refunds',
  revenue: 'Revenue',
};
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

/** A period of the API's `interval` parameter; `mtd` and `qtd` are `month` and `quarter` here. */
type Interval = Exclude<NonNullable<Query['interval']>, 'all_unfiltered' | 'mtd' | 'qtd'>;

/** Calendar periods, which the console sends as `start` and `end`. */
const CALENDAR_PERIODS = ['month', 'last_month', 'quarter', 'last_quarter'] as const;
type CalendarPeriod = (typeof CALENDAR_PERIODS)[number];
export const isCalendarPeriod = (period: Period): period is CalendarPeriod =>
  isOneOf(CALENDAR_PERIODS, period);

export type Period = Interval | CalendarPeriod;

/** Names of the periods in display order. */
export const PERIOD_NAMES: Record<Period, string> = {
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
};
export const PERIODS = Object.keys(PERIOD_NAMES) as Period[];

/** Parameters of the API that are not filters of the console. */
type Other =
  | 'event'
  | 'groupBy'
  | 'interval'
  | 'start'
  | 'end'
  | 'timezone'
  | 'key'
  | 'externalId'
  | 'type'
  | 'types'
  | 'root'
  | 'excludeRoot';

/**
 * Event filters with their labels and the kind of value that they take: one, several, or a part of
 * a text.
 */
export const FILTERS = {
  linkId: { name: 'Link', takes: 'one' },
  qrcodeId: { name: 'QR code', takes: 'one' },
  pageId: { name: 'Page', takes: 'one' },
  folderId: { name: 'Folder', takes: 'one' },
  tagId: { name: 'Tag', takes: 'many' },
  domain: { name: 'Domain', takes: 'one' },
  continent: { name: 'Continent', takes: 'many' },
  country: { name: 'Country', takes: 'many' },
  city: { name: 'City', takes: 'one' },
  device: { name: 'Device', takes: 'many' },
  browser: { name: 'Browser', takes: 'many' },
  os: { name: 'System', takes: 'many' },
  source: { name: 'Source', takes: 'many' },
  referer: { name: 'Referrer', takes: 'part' },
  url: { name: 'Destination', takes: 'part' },
  variant: { name: 'Variant', takes: 'many' },
  utm_source: { name: 'UTM source', takes: 'one' },
  utm_medium: { name: 'UTM medium', takes: 'one' },
  utm_campaign: { name: 'UTM campaign', takes: 'one' },
  utm_term: { name: 'UTM term', takes: 'one' },
  utm_content: { name: 'UTM content', takes: 'one' },
  traffic: { name: 'Traffic', takes: 'one' },
} as const satisfies {
  [Name in Exclude<keyof Query, Other>]: {
    name: string;
    takes: NonNullable<Query[Name]> extends readonly unknown[] ? 'many' : 'one' | 'part';
  };
};
export type Filter = keyof typeof FILTERS;
export type UtmFilter = Extract<Filter, `utm_${string}`>;

export const FILTER_LIST = Object.keys(FILTERS) as Filter[];
export const nameOfFilter = (filter: Filter): string => FILTERS[filter].name;

/** True for a filter that matches a part of a text. */
export const isPartial = (filter: Filter): boolean => FILTERS[filter].takes === 'part';
/** True for a filter that takes several values. */
export const isMultiple = (filter: Filter): boolean => FILTERS[filter].takes === 'many';

/** Filter values by name; several values are joined by commas. */
export type Filters = Partial<Record<Filter, string>>;

/**
 * Search parameters in the URL of a view of events. Without `interval` and `start`, the period is
 * the last 30 days. Moments are ISO 8601. Without `timezone`, the browser's time zone applies.
 */
export interface EventQuery extends Filters {
  interval?: Period;
  start?: string;
  end?: string;
  timezone?: string;
  /** Compares with the same period a year earlier; absent for the previous period. */
  compare?: 'year';
  event?: Metric;
  /** Chosen tabs of the cards, joined by commas. */
  tabs?: string;
  /** Tab whose values are all listed in a dialog. */
  group?: string;
  /** Names of parameters that were removed because their values do not exist, joined by commas. */
  ignored?: string;
}

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
  const { interval, start, end, timezone, compare, event, tabs, group } = search;
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
    ...(compare === 'year' && { compare }),
    ...(isOneOf(EVENTS, event) && { event }),
    ...(isText(tabs) && { tabs }),
    ...(isText(group) && { group }),
    ...(ignored.length > 0 && { ignored: [...new Set(ignored)].join(',') }),
    ...filtersOf(search),
  };
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
  return Object.fromEntries(
    FILTER_LIST.flatMap((name) => (isText(search[name]) ? [[name, search[name]]] : [])),
  );
}
