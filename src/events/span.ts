/** Intervals by name; `all` begins with the workspace's first event. */
export const INTERVALS = ['1h', '24h', '7d', '30d', '90d', 'ytd', '1y', 'all'] as const;
export type Interval = (typeof INTERVALS)[number];

export type Granularity = 'minute' | 'hour' | 'day' | 'month';

/** A span of time, its end not included, and the step in which counts of it are returned. */
export interface Span {
  start: Date;
  end: Date;
  granularity: Granularity;
  /** IANA zone of days and months. */
  timezone: string;
  /** There are no events before its start, so that it may be read from an earlier moment on. */
  isFromFirst?: boolean;
}

/**
 * The interval of a request. `interval` takes precedence over `start` and `end`; the default is 24h. An `end` alone selects
 * the 24 hours before it.
 */
export interface SpanQuery {
  interval?: Interval | undefined;
  start?: string | undefined;
  end?: string | undefined;
  timezone: string;
}
