/** Kinds of events, as the API's parameter `event` names them. */
export const KINDS = ['clicks', 'scans', 'views', 'leads', 'sales'] as const;
export type Kind = (typeof KINDS)[number];

/** Numbers that a view can show: the count of a kind of event, or the amount of the sales. */
export const METRICS = [...KINDS, 'revenue'] as const;
export type Metric = (typeof METRICS)[number];

/** The kind of event that a number is of. */
export const kindOf = (metric: Metric = 'clicks'): Kind =>
  metric === 'revenue' ? 'sales' : metric;

export const INTERVALS = ['1h', '24h', '7d', '30d', '90d', 'ytd', '1y', 'all'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Filters that `GET /analytics`, `GET /events` and `GET /events/live` share, and the console offers. */
export const FILTERS = [
  'linkId',
  'qrcodeId',
  'pageId',
  'folderId',
  'tagId',
  'domain',
  'continent',
  'country',
  'city',
  'device',
  'browser',
  'os',
  'referer',
  'url',
  'variant',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const;
export type Filter = (typeof FILTERS)[number];
export type UtmFilter = Extract<Filter, `utm_${string}`>;

/** Conditions on events; some take several values, joined by commas. */
export type Filters = Partial<Record<Filter, string>>;

/**
 * Search parameters of a view of events, which the address bar holds. Without `interval` and `start` it is the last 30 days. Moments are
 * ISO 8601; `timezone` is left out for that of the browser.
 */
export interface Question extends Filters {
  interval?: Interval;
  start?: string;
  end?: string;
  timezone?: string;
  event?: Metric;
  /** Chosen tabs of the cards, joined by commas. */
  tabs?: string;
  /** Tab whose values are all listed, in a dialog. */
  group?: string;
}

const isOneOf = <T extends string>(names: readonly T[], value: unknown): value is T =>
  names.some((name) => name === value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isMoment = (value: unknown): value is string =>
  isText(value) && !Number.isNaN(Date.parse(value));

function isTimezone(value: unknown): value is string {
  if (!isText(value)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Reads the address; what makes no sense is left out. */
export function readQuestion(search: Record<string, unknown>): Question {
  const { interval, start, end, timezone, event, tabs, group } = search;
  const isSpan = isMoment(start) && isMoment(end) && Date.parse(start) < Date.parse(end);
  return {
    ...(isOneOf(INTERVALS, interval) ? { interval } : isSpan && { start, end }),
    ...(isTimezone(timezone) && { timezone }),
    ...(isOneOf(METRICS, event) && { event }),
    ...(isText(tabs) && { tabs }),
    ...(isText(group) && { group }),
    ...filtersOf(search),
  };
}

/** The conditions of a question alone. */
export function filtersOf(search: Record<string, unknown>): Filters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => (isText(search[name]) ? [[name, search[name]]] : [])),
  );
}
