import type { ClickIdParameter, PageEntry, QueryConflict } from '../lookup/entry.ts';

/**
 * Purpose of a request for a link:
 * - `link`: the link itself
 * - `preview`: a page that shows its destination (`/key+`)
 * - `file`: the file of its page (`/_/file/key`)
 * - `continue`: its destination, past the page before it (`/_/continue/token/key`)
 * - `stats`: its public statistics (`/_/stats/key`)
 * - `qrCode`: its QR code, on a domain with the paths of Shlink (`/key/qr-code`)
 * - `track`: a pixel that counts as a visit, on a domain with the paths of Shlink (`/key/track`)
 */
export type Asks = 'link' | 'preview' | 'file' | 'continue' | 'stats' | 'qrCode' | 'track';

/** The traits of a visitor that rules match, in any letter case. */
export interface Traits {
  /** ISO 3166-1 alpha-2, or XK. */
  readonly country: string;
  readonly city: string;
  readonly device: string;
  readonly os: string;
  readonly browser: string;
  /** Preferred language tag (BCP 47). */
  readonly language: string;
}

/** Facts about a request on which its decision depends. */
export interface Facts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly asks: Asks;
  /** Requested host in lower case, without its port. */
  readonly host: string;
  /** The request is for the root of the domain. */
  readonly isRoot: boolean;
  /** Path as it was sent, without its leading slash. Read only for an unknown key. */
  readonly path: string;
  /** Raw query, without its question mark. */
  readonly query: string;
  /** `Accept` and `Accept-Language`. Read only for a GS1 Digital Link. */
  readonly accept: string;
  readonly languages: string;
  /** Rest of the path after the key of a flexible link, with its leading slash; otherwise empty. */
  readonly rest: string;
  /** The request came over https, as reported by a trusted proxy. */
  readonly isSecure: boolean;
  /** The visitor is a link-preview crawler. */
  readonly isCrawler: boolean;
  /** The visitor is Microsoft Office, which follows redirects before it opens a browser. */
  readonly isOffice: boolean;
  /** Read only if the link targets devices. */
  readonly platform: 'ios' | 'android' | undefined;
  /** Read only if the link has rules or targets countries. */
  readonly traits: Traits;
  /**
   * Place of the visitor among all visitors of a link, from 0 to just below 1, derived from IP
   * address and user agent. Read only if the link divides its visitors.
   */
  placeIn(linkId: string): number;
  /** The visitor has entered the password. */
  readonly isUnlocked: boolean;
  /** The link's page before its destination, if it is one of this service and still exists. */
  readonly page: PageEntry | undefined;
  /**
   * Progress of the visitor past that page. `outdated`: the URL to continue has expired or belongs
   * to another link.
   */
  readonly passed: 'no' | 'seen' | 'submitted' | 'outdated';
  /** The workspace's choice of whose parameter wins. Read only if the link leaves it to that. */
  readonly queryConflict: QueryConflict;
  /** Id of the click, which the destination receives. */
  readonly clickId: string | undefined;
  /** Name of the parameter and the cookie with the id. */
  readonly clickIdParameter: ClickIdParameter;
}
