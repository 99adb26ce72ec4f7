import type { Brand } from '../web/brand.ts';
import type { DisplayPage } from './display-page.ts';

/*
 * The look-up entries that the redirect process uses. A link's entry is created with its row and
 * stored with the claim of its domain and key; `codec.ts` defines the stored text.
 */

/** Metadata for link-preview crawlers; at least one field is set. */
export interface LinkCard {
  title?: string;
  description?: string;
  image?: string;
  video?: string;
}

/**
 * Conditions of a rule, all of which must be met. Texts are lower-case; one text of a list must
 * match.
 */
export interface Conditions {
  /** ISO 3166-1 alpha-2, or XK. */
  country?: string[];
  /** Compared without accents and districts. */
  city?: string[];
  /** Types such as desktop, mobile, tablet. */
  device?: string[];
  os?: string[];
  browser?: string[];
  /** Language ranges: `de` also matches `de-AT`. */
  language?: string[];
  /** Parameters of the visitor's query as sent: one of these values, or `true` for any value. */
  query?: Record<string, string[] | true>;
  /** Milliseconds since 1970; `until` is exclusive. */
  from?: number;
  until?: number;
  time?: TimeWindow;
}

/** Hours of certain days in a time zone. */
export interface TimeWindow {
  /** Minutes since midnight. If `to` is not after `from`, the window ends on the next day. */
  from: number;
  to: number;
  /** Days on which the window begins: 0 is Sunday. Absent: every day. */
  days?: number[] | undefined;
  /** IANA time zone. */
  timezone: string;
}

/**
 * Sends the visitors who match `when` to `url`. A text matches if any one trait of the visitor
 * equals it.
 */
export interface RuleEntry {
  when: string | Conditions;
  url: string;
}

/** A destination of an A/B test. */
export interface SplitVariant {
  name: string;
  url: string;
  /** Share of the visitors in percent; the shares of all variants add up to 100. */
  percentage: number;
}

/** Owner of the parameter that stays if query and destination have one of the same name. */
export type QueryConflict = 'visitor' | 'owner';

/** A link or QR code for the redirect process. */
export interface LinkEntry {
  id: string;
  projectId: string;
  destination: string;
  /** Time from which it leads to `destination`, in ms since 1970. */
  startsAt?: number;
  /** Time from which it no longer leads to `destination`, in ms since 1970. */
  expiresAt?: number;
  /** Its key, in an entry that was looked up by any spelling of it. */
  key?: string;
  /** Destination after its expiry; absent: the domain's. */
  expiredUrl?: string;
  /** Maximum number of counted visits, after which it counts as expired. */
  maxVisits?: number;
  /** Argon2id hash of the password that protects it. */
  passwordHash?: string;
  /** Metadata shown to link-preview crawlers. */
  card?: LinkCard;
  /** Page shown before the destination: one of this service, or a URL of the owner. */
  before?: { pageId: string } | { url: string };
  /** Requires the form of `before` to be filled in. */
  isFormMandatory?: true;
  /** Rules, of which the first match decides. */
  rules?: RuleEntry[];
  /** Destinations for Apple and Android devices. */
  ios?: string;
  android?: string;
  /** Destinations by country. */
  geo?: Record<string, string>;
  /** Destinations among which the remaining visitors are divided, until a time in ms since 1970. */
  split?: { variants: SplitVariant[]; until?: number };
  /**
   * Destinations that are shown in a frame under the short address, in the same spelling as above.
   */
  framed?: string[];
  /** Title of the window around a frame. */
  title?: string;
  /** Page that is shown instead of a redirect to `destination`. */
  page?: DisplayPage;
  /** Status of the redirect; absent: 302. */
  status?: 301 | 307 | 308;
  /** Does not pass the visitor's query on. */
  dropsQuery?: true;
  /** Absent: as the workspace says. */
  queryConflict?: QueryConflict;
  /** Appends the rest of the path after the key to the path of the destination. */
  forwardsPath?: true;
  /** Passes the click's id to the destination. */
  tracksConversion?: true;
  /** Visits are counted, and not stored as events. */
  countsOnly?: true;
  /** Allows search engines to index it. */
  isIndexed?: true;
  hasPublicStats?: true;
}

/** A domain for the redirect process; only verified domains have an entry. */
export interface DomainEntry {
  id: string;
  /** Empty for the service's default short domain. */
  projectId: string;
  /** Destination of the root of the domain. */
  target?: string | undefined;
  /** Shows the target in a frame. */
  isFramed?: true | undefined;
  /** Destination of expired links of the domain. */
  expiredUrl?: string | undefined;
  /** Destination of unknown keys. */
  notFoundUrl?: string | undefined;
  /** The domain has had links that answer every path below their key. */
  hasWildcards?: true | undefined;
  /** Answers `/key/qr-code` and `/key/track` as Shlink does. */
  hasShlinkPaths?: true | undefined;
  /** All spellings of a key that differ by case only are one key. */
  ignoresCase?: true | undefined;
  /** Number of changes of `ignoresCase`; absent: 0. */
  keyVersion?: number | undefined;
}

/**
 * Files of a domain for apps, as JSON texts. They have an entry of their own, since they are large
 * and rarely requested.
 */
export interface SiteFilesEntry {
  /** `/.well-known/apple-app-site-association`. */
  apple?: string | undefined;
  /** `/.well-known/assetlinks.json`. */
  android?: string | undefined;
}

/** Settings of the whole service that redirects read; there is one such entry. */
export interface ServiceEntry {
  /** Hosts that the operator blocks: nobody is redirected to them or to their subdomains. */
  hosts: ReadonlySet<string>;
  /** Ids of links and QR codes that the operator blocks. */
  links: ReadonlySet<string>;
  /** Ids of workspaces with `excludedIps`. */
  excluding: ReadonlySet<string>;
}

/** Names of the parameter and the cookie with the click's id. */
export const CLICK_ID_PARAMETERS = ['click_id', 'dub_id'] as const;
export type ClickIdParameter = (typeof CLICK_ID_PARAMETERS)[number];

/** A workspace for the redirect process, in which click ids are handed out. */
export interface WorkspaceEntry {
  projectId: string;
  /** Length of the window in which a visitor counts once, in seconds. */
  dedupeSeconds: number;
  /** Default of its links; absent: `visitor`. */
  queryConflict?: QueryConflict;
  /** Name of the parameter and the cookie with the click's id; absent: `click_id`. */
  clickIdParameter?: 'dub_id';
  /** Visits are counted, and not stored as events. */
  countsOnly?: true;
  /** Networks whose visits are not counted, in CIDR notation; absent if there are none. */
  excludedIps?: string[];
  /** Branding of pages for visitors; absent if the workspace has none. */
  brand?: Brand;
}

/** Columns of a workspace from which its entry is built. */
export interface WorkspaceColumns {
  id: string;
  click_dedupe_seconds: number;
  query_conflict: QueryConflict;
  click_id_parameter: ClickIdParameter;
  track_events: boolean;
  excluded_ips: string[];
  logo: NonNullable<Brand['logo']> | null;
  brand_color: string | null;
  brand_name: string | null;
}

/** Builds the entry of a workspace. */
export function workspaceEntry({
  id: projectId,
  click_dedupe_seconds: dedupeSeconds,
  query_conflict: queryConflict,
  click_id_parameter: clickIdParameter,
  track_events: tracksEvents,
  excluded_ips: excludedIps,
  logo,
  brand_color: color,
  brand_name: name,
}: WorkspaceColumns): WorkspaceEntry {
  const brand = {
    ...(color === null ? {} : { color }),
    ...(logo === null ? {} : { logo }),
    ...(name === null ? {} : { name }),
  };
  return {
    projectId,
    dedupeSeconds,
    ...(queryConflict === 'visitor' ? {} : { queryConflict }),
    ...(clickIdParameter === 'click_id' ? {} : { clickIdParameter }),
    ...(tracksEvents ? {} : { countsOnly: true }),
    ...(excludedIps.length === 0 ? {} : { excludedIps }),
    ...(Object.keys(brand).length === 0 ? {} : { brand }),
  };
}

/** A question of a form. */
export interface FormField {
  name: string;
  label: string;
  type: 'text' | 'email' | 'phone' | 'number' | 'textarea' | 'select' | 'checkbox';
  required: boolean;
  placeholder?: string;
  /** Choices of a `select`. */
  options?: string[];
}

/** Content of a page before the destination. */
export interface PageContent {
  title: string;
  text?: string;
  /** URL of an image. */
  image?: string;
  /** Label of the button. */
  button?: string;
  fields?: FormField[];
  /** Time until the button can be used, in seconds. */
  waitSeconds?: number;
}

/** A page before the destination, for the redirect process. */
export interface PageEntry extends PageContent {
  id: string;
  projectId: string;
}

/** Columns of a domain from which its entry is built. */
export interface DomainColumns {
  id: string;
  project_id: string | null;
  target: string | null;
  type: 'redirect' | 'rewrite';
  target_frameable: boolean;
  expired_url: string | null;
  not_found_url: string | null;
  has_wildcards: boolean;
  shlink_paths: boolean;
  case_sensitive: boolean;
  key_version: number;
}

/** Columns of a domain that hold its files for apps. */
export interface SiteFileColumns {
  apple_app_site_association: string | null;
  asset_links: string | null;
}

/** Builds the entry of a domain's files; `undefined` if it has none. */
export function siteFilesEntry({
  apple_app_site_association: apple,
  asset_links: android,
}: SiteFileColumns): SiteFilesEntry | undefined {
  if (apple === null && android === null) return undefined;
  return { apple: apple ?? undefined, android: android ?? undefined };
}

/** Builds the entry of a domain. */
export function domainEntry(row: DomainColumns): DomainEntry {
  return {
    id: row.id,
    projectId: row.project_id ?? '',
    target: row.target ?? undefined,
    isFramed: (row.type === 'rewrite' && row.target_frameable) || undefined,
    expiredUrl: row.expired_url ?? undefined,
    notFoundUrl: row.not_found_url ?? undefined,
    hasWildcards: row.has_wildcards || undefined,
    hasShlinkPaths: row.shlink_paths || undefined,
    ignoresCase: !row.case_sensitive || undefined,
    keyVersion: row.key_version || undefined,
  };
}

/** The entries of a host and a key. */
export interface Entries {
  domain: DomainEntry;
  /** `null` if no link has the key, and for the empty key, which is the root of the domain. */
  link: LinkEntry | null;
  /** Set if a flexible or wildcard link was found by a prefix of the path. */
  prefix?: KeyPrefix;
  /** Set if a link was found by another reading of the path. */
  tidied?: TidiedPath;
  /** Set if the host is that of the domain after `www.`: the name of the domain. */
  domainName?: string;
}

/** A path without what sentences and chats leave at the end of a link. */
export interface TidiedPath {
  key: string;
  /** Raw query, without its question mark; also what was joined to the key with another character. */
  query: string;
}

/** A key at the beginning of a path. */
export interface KeyPrefix {
  key: string;
  /** The rest of the path, with its leading slash. */
  rest: string;
  /** The link answers all paths below the key. */
  isWildcard?: true;
}

/** The keys that the path of a request can stand for. */
export interface RequestedKeys {
  /** `null` for a text that cannot be a key; empty for the root of the domain. */
  key: string | null;
  /**
   * Prefixes of the path that may be the key of a flexible or wildcard link, longest first. While
   * no store answers, only those in memory are found.
   */
  prefixes?: readonly KeyPrefix[];
  tidied?: TidiedPath | undefined;
}
