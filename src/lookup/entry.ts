import type { Brand } from '../web/brand.ts';

/*
 * The look-up entry of a host and a key, as the redirect process uses it. A link's entry is created with its row, and stored
 * with the claim of its domain and key; `codec.ts` defines the stored text.
 */

/** A line of a display page: a label and a text that can be copied or opened. */
export interface DisplayRow {
  label: string;
  /** May have several lines. */
  value: string;
  /** Link of the value: `mailto:`, `tel:`, a web address. */
  href?: string;
  /** Offers a button that copies the value. */
  copy?: true;
}

/**
 * The page that a dynamic QR code shows instead of leading on. Worked out where the code is made, so that the
 * redirect process knows nothing of content types. Its words are English; they are translated when it is shown.
 */
export interface DisplayPage {
  /** Type of the content: the page's icon. */
  type: string;
  title: string;
  /** The title is the owner's, and is not translated. */
  isOwnTitle?: true | undefined;
  /** One sentence under the title. */
  subtitle?: string | undefined;
  /** Buttons; the first is what most people want. */
  actions: { label: string; href: string }[];
  rows: DisplayRow[];
  /** A code on the page, for another phone to scan: side in modules, and an SVG path in modules. */
  code?: { label: string; size: number; path: string } | undefined;
  /** A file to open on the phone, such as a contact. */
  file?: { label: string; name: string; type: string; text: string } | undefined;
}

/** Metadata for link-preview crawlers; at least one field is set. */
export interface LinkCard {
  title?: string;
  description?: string;
  image?: string;
  video?: string;
}

/** Conditions of a rule, all of which must be met. Texts are lower-case; of several, one must match. */
export interface Conditions {
  /** ISO 3166-1 alpha-2, or XK. */
  country?: string[];
  city?: string[];
  /** Desktop, mobile, tablet … */
  device?: string[];
  os?: string[];
  browser?: string[];
  /** Language tags: `de` also matches `de-AT`. */
  language?: string[];
  /** Parameters of the visitor's query as sent: one of the values, or `true` where any will do. */
  query?: Record<string, string[] | true>;
  /** Milliseconds since 1970; `until` is the first moment that does not match. */
  from?: number;
  until?: number;
  time?: TimeWindow;
}

/** Hours of days in a zone. */
export interface TimeWindow {
  /** Minutes since midnight. Where `to` is not after `from`, the window goes on into the next day. */
  from: number;
  to: number;
  /** Days on which it begins: 0 is Sunday. Absent: every day. */
  days?: number[] | undefined;
  /** IANA zone. */
  timezone: string;
}

/** Sends the visitors who match `when` to `url`. A text matches visitors of whom any one trait is that text. */
export interface RuleEntry {
  when: string | Conditions;
  url: string;
}

/** A destination of an A/B test. */
export interface SplitVariant {
  name: string;
  url: string;
  /** Share of the visitors; those of all variants add up to 100. */
  percentage: number;
}

/** A link or QR code as the redirect sees it. */
export interface LinkEntry {
  id: string;
  projectId: string;
  destination: string;
  /** When it begins to lead to `destination`, milliseconds since 1970. */
  startsAt?: number;
  /** When it stops leading to `destination`, milliseconds since 1970. */
  expiresAt?: number;
  /** Destination after its expiry; without it, the domain's. */
  expiredUrl?: string;
  /** Counted visits after which it is as expired. */
  maxVisits?: number;
  /** Argon2id hash of the password that protects it. */
  passwordHash?: string;
  /** Shown to link-preview crawlers. */
  card?: LinkCard;
  /** Shown before the destination: a page of ours, or the owner's own. */
  before?: { pageId: string } | { url: string };
  /** Nobody gets past `before` without filling in its form. */
  isFormMandatory?: true;
  /** The first that matches decides. */
  rules?: RuleEntry[];
  /** Destinations for Apple and Android devices. */
  ios?: string;
  android?: string;
  /** Destinations by country. */
  geo?: Record<string, string>;
  /** Destinations among which the other visitors are divided, until some time in milliseconds since 1970. */
  split?: { variants: SplitVariant[]; until?: number };
  /** Destinations that are shown in a frame under the short address, as they stand here. */
  framed?: string[];
  /** Title of the window around a frame. */
  title?: string;
  /** Shown instead of leading to `destination`. */
  page?: DisplayPage;
  /** Status of the redirect; 302 without. */
  status?: 301 | 307 | 308;
  /** The visitor's own query is not passed on. */
  dropsQuery?: true;
  /** The rest of the path after the key is appended to the path of the destination. */
  forwardsPath?: true;
  /** The click's id is handed on to the destination. */
  tracksConversion?: true;
  /** Search engines may show it. */
  isIndexed?: true;
  hasPublicStats?: true;
}

/** A domain as the redirect sees it; only verified domains have one. */
export interface DomainEntry {
  id: string;
  /** Empty for the service's default short domain. */
  projectId: string;
  /** Destination of the root of the domain. */
  target?: string | undefined;
  /** The target is shown in a frame. */
  isFramed?: true | undefined;
  /** Destination of expired links of the domain. */
  expiredUrl?: string | undefined;
  /** Destination of unknown keys. */
  notFoundUrl?: string | undefined;
  /** It has had links that answer every path below their key. */
  hasWildcards?: true | undefined;
}

/** Files of a domain for apps, as JSON texts. Apart from the domain, since they are large and seldom asked for. */
export interface SiteFilesEntry {
  /** `/.well-known/apple-app-site-association`. */
  apple?: string | undefined;
  /** `/.well-known/assetlinks.json`. */
  android?: string | undefined;
}

/** What the operator blocks. */
export interface Blocklist {
  /** Hosts that nobody is redirected to, nor to their subdomains. */
  hosts: ReadonlySet<string>;
  /** Ids of links and QR codes. */
  links: ReadonlySet<string>;
}

/** A workspace as the redirect sees it, where click ids are handed out. */
export interface WorkspaceEntry {
  projectId: string;
  /** Length of the window in which a visitor counts once, in seconds. */
  dedupeSeconds: number;
  /** Its look on pages for visitors; absent where it has none. */
  brand?: Brand;
}

/** The columns of a workspace that its entry is made of. */
export interface WorkspaceColumns {
  id: string;
  click_dedupe_seconds: number;
  logo: NonNullable<Brand['logo']> | null;
  brand_color: string | null;
}

/** Entry of a workspace. */
export function workspaceEntry({
  id: projectId,
  click_dedupe_seconds: dedupeSeconds,
  logo,
  brand_color: color,
}: WorkspaceColumns): WorkspaceEntry {
  const brand = { ...(color === null ? {} : { color }), ...(logo === null ? {} : { logo }) };
  return { projectId, dedupeSeconds, ...(Object.keys(brand).length === 0 ? {} : { brand }) };
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
  /** Address of a picture. */
  image?: string;
  /** Words on the button. */
  button?: string;
  fields?: FormField[];
  /** Time before the button can be used. */
  waitSeconds?: number;
}

/** A page before the destination, as the redirect sees it. */
export interface PageEntry extends PageContent {
  id: string;
  projectId: string;
}

/** Columns of a domain from which its entry is made. */
export interface DomainColumns {
  id: string;
  project_id: string | null;
  target: string | null;
  type: 'redirect' | 'rewrite';
  target_frameable: boolean;
  expired_url: string | null;
  not_found_url: string | null;
  has_wildcards: boolean;
}

/** Columns of a domain that hold its files for apps. */
export interface SiteFileColumns {
  apple_app_site_association: string | null;
  asset_links: string | null;
}

/** Entry of the files of a domain; `undefined` where it has none. */
export function siteFilesEntry({
  apple_app_site_association: apple,
  asset_links: android,
}: SiteFileColumns): SiteFilesEntry | undefined {
  if (apple === null && android === null) return undefined;
  return { apple: apple ?? undefined, android: android ?? undefined };
}

/** Entry of a domain. */
export function domainEntry(row: DomainColumns): DomainEntry {
  return {
    id: row.id,
    projectId: row.project_id ?? '',
    target: row.target ?? undefined,
    isFramed: (row.type === 'rewrite' && row.target_frameable) || undefined,
    expiredUrl: row.expired_url ?? undefined,
    notFoundUrl: row.not_found_url ?? undefined,
    hasWildcards: row.has_wildcards || undefined,
  };
}

/** Entries of a host and a key. */
export interface Found {
  domain: DomainEntry;
  /** `null` where nothing has this key, and for the empty key: the root of the domain. */
  link: LinkEntry | null;
  /** Set if a flexible link or a wildcard was found by a prefix of the path. */
  prefix?: KeyPrefix;
}

/** A key at the beginning of a path. */
export interface KeyPrefix {
  key: string;
  /** The rest of the path, with its leading slash. */
  rest: string;
  /** The link is that of all paths below the key. */
  isWildcard?: true;
}
