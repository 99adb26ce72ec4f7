import { defineQueue, type Job } from './queue.ts';

/** Somebody came, and was answered. Everything else about the visit is worked out from this by the worker. */
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
  /** Where the visitor was sent. */
  destination: string;
  ip: string;
  userAgent: string;
  /** The `Referer` header; empty when there was none. */
  referer: string;
  /** `qr` when the short link was opened with `?qr=1`. */
  via: 'link' | 'qr';
  /** The id of the click, where the redirect process has handed it out already. */
  clickId?: string;
  /** Nobody was led on yet: a page of ours was shown. */
  view?: { pageId: string };
  /** The form of a page was sent. */
  lead?: FormLead;
}

/** What somebody answered on the page before a destination. */
export interface FormLead {
  eventId: string;
  /** The same when one form is sent twice. */
  nonce: string;
  /** Empty where the page is the owner's own. */
  pageId: string;
  answers: Record<string, string | boolean>;
}

/**
 * Batches of visits from redirect processes to `worker_clicks`. They were answered, so they must be counted: they are
 * tried for a day, however long Postgres is away.
 */
export const clicks = defineQueue<{
  'visits.record': Job<Visit[], undefined>;
}>('clicks', { attempts: 6_000 });
