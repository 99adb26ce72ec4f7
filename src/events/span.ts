/** Names of intervals; `all` begins with the first event of the workspace. */
export const INTERVALS = [
  '1h',
  '24h',
  'today',
  'yesterday',
  '7d',
  '30d',
  '90d',
  'wtd',
  'mtd',
  'qtd',
  'ytd',
  '1y',
  'all',
] as const;
export type Interval = (typeof INTERVALS)[number];

export type Granularity = 'minute' | 'hour' | 'day' | 'month';

/** A time span, excluding its end, and the step in which counts are returned. */
export interface Span {
  start: Date;
  end: Date;
  granularity: Granularity;
  /** IANA time zone of days and months. */
  timezone: string;
  /**
   * True if there are no events before the start, so that a query may read from an earlier time.
   */
  isFromFirst?: boolean;
}

/**
 * Time span of a request. `interval` takes precedence over `start` and `end`; the default is 24h.
 * `start` and `end` are ISO 8601: dates are whole days in `timezone`, and times without an offset
 * are in it. `end` alone selects its day, or the 24 hours before a time.
 */
export interface SpanQuery {
  interval?: Interval | undefined;
  start?: string | undefined;
  end?: string | undefined;
  timezone: string;
}
