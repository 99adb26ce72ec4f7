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
