/*
 * What host + key stand for, as the redirect process sees it. An entry is made where the row is made, kept
 * as a column of the row that claims domain + key, and copied to Redis as it is. It is a compact text,
 * because a redirect process remembers a million of them.
 *
 *   version \n id \n projectId \n destination \n extras as JSON, or nothing
 *
 * A change of the shape needs a new VERSION, which `npm run migrate` brings to stored entries; older versions that
 * can still be read stay in READABLE until then.
 */

const VERSION = '2';
/** Version 1 had fewer extras. */
const READABLE: ReadonlySet<string> = new Set(['1', VERSION]);

/** A line of a display page: a label and a text that can be copied or opened. */
export interface DisplayRow {
  label: string;
  /** May have several lines. */
  value: string;
  /** Where a tap on the value leads: `mailto:`, `tel:`, a web address. */
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
  isOwnTitle?: true;
  /** One sentence under the title. */
  subtitle?: string;
  /** Buttons; the first is what most people want. */
  actions: { label: string; href: string }[];
  rows: DisplayRow[];
  /** A code on the page, for another phone to scan: side in modules, and an SVG path in modules. */
  code?: { label: string; size: number; path: string };
  /** A file to open on the phone, such as a contact. */
  file?: { label: string; name: string; type: string; text: string };
}

/** What link-preview crawlers are shown; at least one of them is there. */
export interface LinkCard {
  title?: string;
  description?: string;
  image?: string;
  video?: string;
}

/** What must hold of a visitor, all of it. Texts are lower-case; of several, one must fit. */
export interface Conditions {
  /** ISO 3166-1 alpha-2, or XK. */
  country?: string[];
  city?: string[];
  /** Desktop, mobile, tablet … */
  device?: string[];
  os?: string[];
  browser?: string[];
  /** Language tags: `de` also fits `de-AT`. */
  language?: string[];
  /** Parameters of the visitor's query as sent: one of the values, or `true` where any will do. */
  query?: Record<string, string[] | true>;
  /** Milliseconds since 1970; `until` is the first moment that does not fit. */
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
  days?: number[];
  /** IANA zone. */
  timezone: string;
}

/** Where visitors go for whom something holds. A text holds for those of whom any one trait is that text. */
export interface RuleEntry {
  when: string | Conditions;
  url: string;
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
  /** Where it leads afterwards; without it, where its domain says. */
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
  /** The first that holds decides. */
  rules?: RuleEntry[];
  /** Where devices of Apple and of Android are led. */
  ios?: string;
  android?: string;
  /** Where visitors from a country are led. */
  geo?: Record<string, string>;
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
  /** Where the root of the domain leads. */
  target?: string;
  /** The target is shown in a frame. */
  isFramed?: true;
  /** Where expired links of the domain lead. */
  expiredUrl?: string;
  /** Where keys lead that nothing has. */
  notFoundUrl?: string;
}

/** What a redirect process must know of a workspace where it hands out click ids. */
export interface WorkspaceEntry {
  projectId: string;
  /** Length of the window in which a visitor counts once, in seconds. */
  dedupeSeconds: number;
}

/** A question of a form. */
export interface FormField {
  name: string;
  label: string;
  type: 'text' | 'email' | 'phone' | 'number' | 'textarea' | 'select' | 'checkbox';
  required: boolean;
  placeholder?: string;
  /** Of a select: what can be chosen. */
  options?: string[];
}

/** What a page before the destination shows. */
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

/** How entries of today's shape begin. Those of an older one may lack what their rows say. */
export const CURRENT = `${VERSION}\n`;

export function encodeLink({ id, projectId, destination, ...extras }: LinkEntry): string {
  return pack([id, projectId, destination], extras);
}

/** @throws Error when the text is not an entry of a version that can be read */
export function decodeLink(text: string): LinkEntry {
  const [fields, extras] = unpack(text, 3);
  return { id: fields[0]!, projectId: fields[1]!, destination: fields[2]!, ...extras };
}

export function encodeDomain({ id, projectId, ...extras }: DomainEntry): string {
  return pack([id, projectId], extras);
}

/** @throws Error as {@link decodeLink} */
export function decodeDomain(text: string): DomainEntry {
  const [fields, extras] = unpack(text, 2);
  return { id: fields[0]!, projectId: fields[1]!, ...extras };
}

export function encodeWorkspace({ projectId, ...extras }: WorkspaceEntry): string {
  return pack([projectId], extras);
}

/** @throws Error as {@link decodeLink} */
export function decodeWorkspace(text: string): WorkspaceEntry {
  const [fields, extras] = unpack(text, 1);
  return { projectId: fields[0]!, ...(extras as { dedupeSeconds: number }) };
}

export function encodePage({ id, projectId, ...extras }: PageEntry): string {
  return pack([id, projectId], extras);
}

/** @throws Error as {@link decodeLink} */
export function decodePage(text: string): PageEntry {
  const [fields, extras] = unpack(text, 2);
  return { id: fields[0]!, projectId: fields[1]!, ...(extras as PageContent) };
}

/** The columns of a domain that its entry is made of. */
export interface DomainColumns {
  id: string;
  project_id: string | null;
  target: string | null;
  type: 'redirect' | 'rewrite';
  target_frameable: boolean;
  expired_url: string | null;
  not_found_url: string | null;
}

/** What the redirect must know of a domain. */
export function domainEntry(row: DomainColumns): DomainEntry {
  return {
    id: row.id,
    projectId: row.project_id ?? '',
    ...(row.target === null ? {} : { target: row.target }),
    ...(row.type === 'rewrite' && row.target_frameable ? { isFramed: true as const } : {}),
    ...(row.expired_url === null ? {} : { expiredUrl: row.expired_url }),
    ...(row.not_found_url === null ? {} : { notFoundUrl: row.not_found_url }),
  };
}

function pack(fields: string[], extras: object): string {
  const rest = JSON.stringify(extras);
  return [VERSION, ...fields, rest === '{}' ? '' : rest].join('\n');
}

function unpack(text: string, count: number): [fields: string[], extras: object | undefined] {
  const parts = text.split('\n');
  if (!READABLE.has(parts[0]!) || parts.length !== count + 2)
    throw new Error('unknown shape of a look-up entry');
  const rest = parts[count + 1]!;
  return [parts.slice(1, count + 1), rest === '' ? undefined : (JSON.parse(rest) as object)];
}
