/*
 * What host + key stand for, as the redirect process sees it. An entry is made where the row is made, kept
 * as a column of the row that claims domain + key, and copied to Redis as it is. It is a compact text,
 * because a redirect process remembers a million of them.
 *
 *   version \n id \n projectId \n destination \n extras as JSON, or nothing
 *
 * A change of the shape needs a new VERSION and a rebuild of stored entries.
 */

const VERSION = '1';

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
 * redirect process knows nothing of content types.
 */
export interface DisplayPage {
  /** Type of the content: the page's icon. */
  type: string;
  title: string;
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

/** A link or QR code as the redirect sees it. */
export interface LinkEntry {
  id: string;
  projectId: string;
  destination: string;
  /** When it stops leading to `destination`, milliseconds since 1970. */
  expiresAt?: number;
  /** Where it leads afterwards; without it, where its domain says. */
  expiredUrl?: string;
  /** Argon2id hash of the password that protects it. */
  passwordHash?: string;
  /** Shown instead of leading to `destination`. */
  page?: DisplayPage;
}

/** A domain as the redirect sees it; only verified domains have one. */
export interface DomainEntry {
  id: string;
  /** Empty for the service's default short domain. */
  projectId: string;
  /** Where the root of the domain leads. */
  target?: string;
  /** Where expired links of the domain lead. */
  expiredUrl?: string;
}

export function encodeLink({ id, projectId, destination, ...extras }: LinkEntry): string {
  return pack([id, projectId, destination], extras);
}

/** @throws Error when the text is not an entry of this version */
export function decodeLink(text: string): LinkEntry {
  const [fields, extras] = unpack(text, 3);
  return { id: fields[0]!, projectId: fields[1]!, destination: fields[2]!, ...extras };
}

export function encodeDomain({ id, projectId, ...extras }: DomainEntry): string {
  return pack([id, projectId], extras);
}

/** @throws Error when the text is not an entry of this version */
export function decodeDomain(text: string): DomainEntry {
  const [fields, extras] = unpack(text, 2);
  return { id: fields[0]!, projectId: fields[1]!, ...extras };
}

function pack(fields: string[], extras: object): string {
  const rest = JSON.stringify(extras);
  return [VERSION, ...fields, rest === '{}' ? '' : rest].join('\n');
}

function unpack(text: string, count: number): [fields: string[], extras: object | undefined] {
  const parts = text.split('\n');
  if (parts[0] !== VERSION || parts.length !== count + 2)
    throw new Error('unknown shape of a look-up entry');
  const rest = parts[count + 1]!;
  return [parts.slice(1, count + 1), rest === '' ? undefined : (JSON.parse(rest) as object)];
}
