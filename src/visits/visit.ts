/** A visit that was answered, from which the worker derives everything else. */
export interface Visit {
  /**
   * Unique id of the visit, unchanged when the visit is delivered again, and shared with the form
   * that was sent with it.
   */
  id: string;
  /** Time of the visit, in ms since 1970. */
  at: number;
  projectId: string;
  /** Id of the visited link or QR code; empty for the root of a domain. */
  linkId: string;
  /** Domain as stored (lower-case, ASCII). */
  domain: string;
  /** Key of the link; `_root` for the root of a domain. */
  key: string;
  /** URL to which the visitor was redirected. */
  destination: string;
  ip: string;
  userAgent: string;
  /** Client hints, joined by `hintsOf`; visits of browsers without them have none. */
  hints?: string;
  /** The `Referer` header without user name, password and fragment; empty if there was none. */
  referer: string;
  /** `qr` if the short link was opened with `?qr=1`. */
  via: 'link' | 'qr';
  /** Reason why the visit may come from a program; absent for people. */
  suspect?: string;
  /** Name of the variant that an A/B test chose. */
  variant?: string;
  /** Id of the click, if the redirect process has handed it out. */
  clickId?: string;
  /**
   * True if the visitor sent Global Privacy Control or Do Not Track: the visit counts, but no
   * visitor is derived from it. Jobs of releases before 0.6 never have it.
   */
  wantsPrivacy?: true;
  /** True if the visit is only counted: no event is stored. Leads are stored in any case. */
  countsOnly?: true;
  /** Set if a page was shown and the visitor has not been redirected yet. */
  view?: { pageId: string };
  /** Set if the form of a page was sent. */
  lead?: FormLead;
}

/** A click that another redirect service reports. */
export interface TrackedClick extends Visit {
  clickId: string;
  /** The workspace excludes the address: the click gets an id, but is not counted. */
  isExcluded?: true | undefined;
}

/** A form that was submitted on a page before a destination. */
export interface FormLead {
  eventId: string;
  /** Equal if one form is sent twice. */
  nonce: string;
  /** Empty for the owner's own page. */
  pageId: string;
  answers: Record<string, string | boolean>;
}
