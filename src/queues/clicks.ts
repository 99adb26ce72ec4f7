import { defineQueue, type Job } from './definition.ts';
import type { VisitBatch } from './visit-batch.ts';

/** A visit that was answered. The worker derives everything else from it. */
export interface Visit {
  /** Unique to this visit; the same however often it is handed in, and for the form that was sent with it. */
  id: string;
  /** Time of the visit, milliseconds since 1970. */
  at: number;
  projectId: string;
  /** The link or QR code that was visited; empty for the root of a domain. */
  linkId: string;
  /** Domain as stored (lower-case, ASCII). */
  domain: string;
  /** Key of the link; `_root` for the root of a domain. */
  key: string;
  /** URL to which the visitor was redirected. */
  destination: string;
  ip: string;
  userAgent: string;
  /** The `Referer` header; empty when there was none. */
  referer: string;
  /** `qr` when the short link was opened with `?qr=1`. */
  via: 'link' | 'qr';
  /** Name of the variant, where an A/B test decided. */
  variant?: string;
  /** The id of the click, where the redirect process has handed it out already. */
  clickId?: string;
  /** Set when a page was shown and the visitor was not redirected yet. */
  view?: { pageId: string };
  /** The form of a page was sent. */
  lead?: FormLead;
}

/** A form that was submitted on a page before a destination. */
export interface FormLead {
  eventId: string;
  /** The same when one form is sent twice. */
  nonce: string;
  /** Empty where the page is the owner's own. */
  pageId: string;
  answers: Record<string, string | boolean>;
}

/** Categories of reports. */
export const REPORT_CATEGORIES = ['phishing', 'malware', 'spam', 'illegal', 'other'] as const;
export type ReportCategory = (typeof REPORT_CATEGORIES)[number];

/** A report about a short link, as a visitor sent it. */
export interface SentReport {
  id: string;
  /** Time of the report, milliseconds since 1970. */
  at: number;
  projectId: string;
  /** The link or QR code. */
  recordId: string;
  shortLink: string;
  category: ReportCategory;
  comment: string;
  email?: string;
  ip: string;
}

/**
 * What visitors do, from redirect processes to `worker_clicks`: batches of visits, and reports. Visits were answered, so
 * they must be counted: they are tried for half a year, every 15 s in the end. Those that Postgres refuses because of their
 * data become dead letters (`events/ingest/rejected-visits.ts`), and are not retried with the batch. A call of the API is
 * tried as often as any other.
 */
export const clicks = defineQueue<{
  /** Further batches are added to its job while it waits. Releases before 0.6 added plain visits. */
  'visits.record': Job<VisitBatch | Visit[], undefined>;
  /** A click that another redirect service reports. */
  'click.track': Job<Visit & { clickId: string }, { clickId: string }>;
  /** A visitor reports a link to the operator. */
  'report.add': Job<SentReport, undefined>;
  /** An operator wants a rejected visit to be tried again, or deleted. */
  'rejected.retry': Job<{ id: string }, { isStored: boolean }>;
  'rejected.discard': Job<{ id: string }, { id: string }>;
}>('clicks', {
  attempts: 1_000_000,
  attemptsOf: { 'click.track': 12, 'report.add': 12, 'rejected.retry': 3, 'rejected.discard': 3 },
  extensible: ['visits.record'],
  isSharded: true,
});
