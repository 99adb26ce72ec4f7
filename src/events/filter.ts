import type { UtmField } from './utm.ts';

/** Key under which visits of a domain's root are recorded. */
export const ROOT_KEY = '_root';

/** Columns that a filter compares with whole values. */
export const EXACT_COLUMNS = ['continent', 'country', 'city', 'device', 'browser', 'os'] as const;

/** A filter of events, which must match all of its conditions. Plain data, since jobs carry it. */
export interface EventFilter {
  /** Ids of links and QR codes. */
  records?: string[];
  domain?: string;
  /** Accepted values by column. */
  values?: Partial<Record<(typeof EXACT_COLUMNS)[number], string[]>>;
  via?: ('link' | 'qr')[];
  /** Texts that the value of a column must contain, by column; case-insensitive. */
  parts?: { referer?: string; url?: string };
  /** Values of UTM parameters of the destination. */
  utm?: Partial<Record<UtmField, string>>;
  pageId?: string;
  /** Names of variants of A/B tests. */
  variants?: string[];
  /** Visits of a domain's root, with their leads and sales, or everything else. */
  isRoot?: boolean;
  /** True where contradicting filters leave no event. */
  isEmpty?: true;
}

/** True for a filter by more than records and a domain: counters and rollups cannot answer it. */
export const hasConditions = ({ records: _, domain: __, ...others }: EventFilter): boolean =>
  Object.keys(others).length > 0;
