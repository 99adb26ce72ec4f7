import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { UTM_FIELDS, type UtmField } from '../events/utm.ts';
import { type Db, rows } from '../infra/db.ts';
import { hostsAndParents, leadsToOneOf } from '../infra/hosts.ts';
import { normalize } from '../infra/normalize.ts';
import { urlsIn } from '../infra/url.ts';
import { type Requester, runJob } from '../jobs/run-job.ts';
import { originOf } from '../lookup/short-link.ts';
import { destinationJobs } from './jobs.ts';
import { isWildcard } from './key.ts';
import type { ShortLinkRow } from './model.ts';
import type { Rule } from './routing-rules.ts';
import type { TestVariant } from './test-variants.ts';

/**
 * True when a URL leads to the short link of a domain and key; of a flexible one or a wildcard, also to a path below it. A port is
 * another server's only on the default short domain, which the operator may have on one of several ports.
 */
export function leadsTo(
  url: string,
  { domain, key, flexible }: { domain: string; key: string; flexible: boolean },
): boolean {
  if (!/^https?:/i.test(url)) return false;
  const { hostname, port, pathname } = new URL(url);
  if (hostname.replace(/\.$/, '') !== domain) return false;
  const own = new URL(originOf(domain));
  if (domain === config().DEFAULT_SHORT_DOMAIN && port !== '' && port !== own.port) return false;
  let path = pathname.slice(1);
  try {
    path = normalize(decodeURIComponent(path), 'NFC');
  } catch {
    // A path that can't be decoded is no key.
  }
  if (isWildcard(key)) return path.startsWith(key.slice(0, -1));
  return path.replace(/\/$/, '') === key || (flexible && path.startsWith(`${key}/`));
}

/** A URL that a record leads to, with the name of its field. */
export type NamedUrl = readonly [field: string, url: string];

/**
 * Reads which of some URLs lead to a host that the operator blocks, or to a subdomain of one.
 *
 * @returns tells it of each of these URLs
 */
export async function findBlocked(
  trx: Db,
  urls: readonly string[],
): Promise<(url: string) => boolean> {
  const hosts = [...new Set(urls.flatMap(hostsAndParents))];
  if (hosts.length === 0) return () => false;
  const found = await rows<{ host: string }>(
    trx,
    'SELECT host FROM blocked_hosts WHERE host = ANY(?)',
    [hosts],
  );
  if (found.length === 0) return () => false;
  const blocked = new Set(found.map(({ host }) => host));
  return (url) => leadsToOneOf(url, blocked);
}

/** The refusal of a record, some of whose URLs lead to blocked hosts; `undefined` if none does. */
export function refusalOf(
  urls: readonly NamedUrl[],
  isBlocked: (url: string) => boolean,
): Refusal | undefined {
  const fields = new Set(urls.filter(([, url]) => isBlocked(url)).map(([field]) => field));
  const faults = [...fields].map(
    (field) => `${field} must not lead to a host that the operator of this service blocks`,
  );
  return faults.length === 0 ? undefined : new Refusal('unprocessable_entity', faults.join('; '));
}

/** @throws Refusal `unprocessable_entity` naming every field that leads to a blocked host */
export async function refuseBlockedHosts(trx: Db, urls: readonly NamedUrl[]): Promise<void> {
  const isBlocked = await findBlocked(
    trx,
    urls.map(([, url]) => url),
  );
  const refusal = refusalOf(urls, isBlocked);
  if (refusal !== undefined) throw refusal;
}

/** The destinations of a link or QR code, with the names of their fields. */
function destinationsOf(row: ShortLinkRow & { url?: string | null }): NamedUrl[] {
  const { url = null, ios, android, expired_url: expiredUrl, page_url: pageUrl } = row;
  const fields = Object.entries({ url, ios, android, expiredUrl, pageUrl });
  const geo = Object.entries(row.geo ?? {}).map(([country, to]) => [`geo.${country}`, to] as const);
  const rules = (row.rules ?? []).map((rule, at) => [`rules[${at}].url`, rule.url] as const);
  const variants = (row.test_variants ?? []).map(
    (variant, at) => [`testVariants[${at}].url`, variant.url] as const,
  );
  return [
    ...fields.flatMap(([field, to]) => (to === null ? [] : [[field, to] as const])),
    ...geo,
    ...rules,
    ...variants,
  ];
}

/** All URLs that a link or QR code leads visitors to, also from its content, with the names of their fields. */
export const urlsOf = (
  row: ShortLinkRow & { url?: string | null; content?: unknown },
): NamedUrl[] => [...destinationsOf(row), ...urlsIn(row.content)];

/**
 * A link or QR code must not lead to itself, for no visitor.
 *
 * @param domain name of its domain
 * @throws Refusal `unprocessable_entity` naming every field that does
 */
export function refuseLoops(row: ShortLinkRow & { url: string | null }, domain: string): void {
  const own = { domain, key: row.key, flexible: row.flexible };
  const loops = destinationsOf(row)
    .filter(([, to]) => leadsTo(to, own))
    .map(([field]) => `${field} must not be the short link itself`);
  if (loops.length > 0) throw new Refusal('unprocessable_entity', loops.join('; '));
}

export type Utm = Record<UtmField, string | null>;

const NO_UTM = Object.fromEntries(UTM_FIELDS.map((name) => [name, null])) as Record<UtmField, null>;

/** The UTM fields in a destination's query. */
export function readUtm(url: string): Utm {
  const utm: Utm = { ...NO_UTM };
  if (!/[?&]utm_/.test(url)) return utm;
  const { searchParams } = new URL(url);
  for (const name of UTM_FIELDS) utm[name] = searchParams.get(name);
  return utm;
}

/**
 * Writes UTM fields into a destination's query: a text sets one, `null` takes it out, an absent one stays.
 * Everything else of the URL stays byte for byte.
 */
export function writeUtm(url: string, utm: Partial<Utm>): string {
  const given = UTM_FIELDS.filter((name) => utm[name] !== undefined);
  if (given.length === 0 || !/^https?:/i.test(url)) return url;
  const hash = url.indexOf('#');
  const fragment = hash < 0 ? '' : url.slice(hash);
  const beforeHash = hash < 0 ? url : url.slice(0, hash);
  const mark = beforeHash.indexOf('?');
  const base = mark < 0 ? beforeHash : beforeHash.slice(0, mark);
  const pairs =
    mark < 0
      ? []
      : beforeHash
          .slice(mark + 1)
          .split('&')
          .filter((pair) => pair !== '');
  const kept = pairs.filter((pair) => !given.includes(pair.split('=')[0] as UtmField));
  const added = given.flatMap((name) => {
    const value = utm[name];
    return typeof value === 'string' ? [`${name}=${encodeURIComponent(value)}`] : [];
  });
  const query = [...kept, ...added].join('&');
  return base + (query === '' ? '' : `?${query}`) + fragment;
}

/** A URL with the UTM fields that it has none of its own of. */
export function withMissingUtm(url: string, utm: Utm): string {
  const own = readUtm(url);
  const missing = UTM_FIELDS.filter((name) => utm[name] !== null && own[name] === null);
  if (missing.length === 0) return url;
  return writeUtm(url, Object.fromEntries(missing.map((name) => [name, utm[name]])));
}

/** A destination without UTM parameters, by which it is stored as one that may be framed: they change nothing about that. */
export const framingKey = (url: string): string => writeUtm(url, NO_UTM);

/** The fields of a record, or of a change, that decide which destinations are shown in a frame. */
export interface Framing {
  rewrite?: boolean | undefined;
  url?: string | null | undefined;
  ios?: string | null | undefined;
  android?: string | null | undefined;
  geo?: Record<string, string> | null | undefined;
  rules?: Rule[] | null | undefined;
  testVariants?: TestVariant[] | null | undefined;
  /** Destinations that allow frames, where they were requested. */
  frameable?: string[] | undefined;
}

const FIELDS = ['rewrite', 'url', 'ios', 'android', 'geo', 'rules', 'testVariants'] as const;

/** True when a change can alter which destinations are shown in a frame. */
const concernsFraming = (changes: Framing): boolean =>
  changes.rewrite !== false && FIELDS.some((field) => changes[field] !== undefined);

/** The web addresses that would be shown in a frame. */
export function framedUrls({ rewrite, url, ios, android, geo, ...lists }: Framing): string[] {
  if (rewrite !== true) return [];
  const listed = [...(lists.rules ?? []), ...(lists.testVariants ?? [])].map((one) => one.url);
  const all = [url, ios, android, ...Object.values(geo ?? {}), ...listed];
  const web = all.filter((one) => typeof one === 'string' && /^https?:/i.test(one)) as string[];
  return [...new Set(web.map(framingKey))];
}

/** The fields of a record once the changes are made. */
function framingAfter(before: Framing, changes: Framing): Framing {
  const after = { ...before };
  for (const field of FIELDS) {
    if (changes[field] !== undefined) Object.assign(after, { [field]: changes[field] });
  }
  return after;
}

/** The addresses that allow frames, by a request to each; none is sent where there are no addresses. */
export async function askFrameable(request: Requester, urls: readonly string[]): Promise<string[]> {
  const unique = [...new Set(urls)];
  return unique.length === 0
    ? []
    : runJob(request, destinationJobs['pages.framing'], { urls: unique });
}

/**
 * The changes with the destinations that allow frames; as they are where they change nothing about frames.
 *
 * @param before reads the records that are changed; left out for a new one
 */
export async function withFrameable<Changes extends Framing>(
  request: Requester,
  changes: Changes,
  before: () => Promise<readonly (Framing | undefined)[]> = async () => [{}],
): Promise<Changes> {
  if (!concernsFraming(changes)) return changes;
  const records = (await before()).filter((record) => record !== undefined);
  const urls = records.flatMap((record) => framedUrls(framingAfter(record, changes)));
  return urls.length === 0 ? changes : { ...changes, frameable: await askFrameable(request, urls) };
}
