import { createHash } from 'node:crypto';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { UTM_FIELDS, type UtmField } from '../events/utm.ts';
import type { Requester } from '../http/route.ts';
import { afterCommit, type Db, preparedRows } from '../infra/db.ts';
import { hostsAndParents, leadsToOneOf } from '../infra/hosts.ts';
import { parseUrl, percentDecoded, urlsIn } from '../infra/url.ts';
import { followUps } from '../jobs/follow-up.ts';
import { runJob } from '../jobs/run-job.ts';
import { withoutSelectors } from '../lookup/key-spelling.ts';
import { normalizeKey, originOf } from '../lookup/short-link.ts';
import type { Producer } from '../queues/producer.ts';
import { destinationJobs, iconJobs } from './jobs.ts';
import { isWildcard } from './key.ts';
import type { ShortLinkRow } from './model.ts';
import type { Rule } from './routing-rules.ts';
import type { TestVariant } from './test-variants.ts';

/**
 * True when a URL leads to the short link of a domain and key, or to a path below a flexible or
 * wildcard link. On the default short domain another port is another server, since the operator may
 * run several servers there.
 */
export function leadsTo(
  url: string,
  { domain, key, flexible }: { domain: string; key: string; flexible: boolean },
): boolean {
  if (!/^https?:/i.test(url)) return false;
  const { hostname, port, pathname } = new URL(url);
  if (hostname.replace(/\.$/, '') !== domain) return false;
  const isOther = domain === config().DEFAULT_SHORT_DOMAIN && port !== '';
  if (isOther && port !== new URL(originOf(domain)).port) return false;
  const path = normalizeKey(percentDecoded(pathname.slice(1)));
  const [bare, own] = [withoutSelectors(path) ?? path, withoutSelectors(key) ?? key];
  if (isWildcard(own)) return bare.startsWith(own.slice(0, -1));
  return bare.replace(/\/$/, '') === own || (flexible && bare.startsWith(`${own}/`));
}

/** Returns the site of a destination: scheme, host and port; `undefined` if it is none of the web. */
export function siteOf(url: unknown): string | undefined {
  if (typeof url !== 'string' || !/^https?:/i.test(url)) return undefined;
  return parseUrl(url)?.origin;
}

/** Queues reading the icon of a site; it is read once for concurrent requests. */
export async function queueIcon(
  producer: Producer,
  projectId: string,
  origin: string,
): Promise<void> {
  const name = createHash('sha256').update(`${projectId} ${origin}`).digest('base64url');
  const options = { jobId: `icon-${name}`, projectId, isLowPriority: true };
  await producer.add(iconJobs['icon.read'], { origin }, options);
}

/**
 * Queues reading the icon of a new destination once the write has committed, which does not wait for
 * it. A lost job is added again when somebody sees the record.
 */
export function requestIcon(trx: Db, projectId: string, url: unknown, before?: unknown): void {
  const origin = siteOf(url);
  if (origin === undefined || origin === siteOf(before)) return;
  if (config().DESTINATION_ICONS === 'off') return;
  afterCommit(trx, () => void queueIcon(followUps(), projectId, origin).catch(() => {}));
}

/** A URL that a record leads to, with the name of its field. */
export type NamedUrl = readonly [field: string, url: string];

/**
 * Reads which URLs lead to a host that the operator blocks, or to a subdomain of one.
 *
 * @returns predicate for the given URLs
 */
export async function findBlocked(
  trx: Db,
  urls: readonly string[],
): Promise<(url: string) => boolean> {
  const hosts = [...new Set(urls.flatMap(hostsAndParents))];
  if (hosts.length === 0) return () => false;
  const blockedRows = await preparedRows<{ host: string }>(
    trx,
    'find blocked hosts',
    'SELECT host FROM blocked_hosts WHERE host = ANY(?)',
    [hosts],
  );
  if (blockedRows.length === 0) return () => false;
  const blocked = new Set(blockedRows.map(({ host }) => host));
  return (url) => leadsToOneOf(url, blocked);
}

/** The refusal of a record with URLs on blocked hosts; `undefined` if there are none. */
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

/**
 * All URLs to which a link or QR code leads visitors, including those in its content, with the
 * names of their fields.
 */
export const urlsOf = (
  row: ShortLinkRow & { url?: string | null; content?: unknown },
): NamedUrl[] => [...destinationsOf(row), ...urlsIn(row.content)];

/**
 * Refuses a link or QR code that leads any visitor back to itself.
 *
 * @param domain name of its domain
 * @throws Refusal `unprocessable_entity` naming every field that does
 */
export function refuseLoops(row: ShortLinkRow & { url: string | null }, domain: string): void {
  const shortLink = { domain, key: row.key, flexible: row.flexible };
  const loops = destinationsOf(row)
    .filter(([, to]) => leadsTo(to, shortLink))
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

/** Writes UTM fields into a destination's query, as {@link writeParameters}. */
export const writeUtm = (url: string, utm: Partial<Utm>): string =>
  writeParameters(url, UTM_FIELDS, utm);

/**
 * Writes parameters into the query of a web address: a text sets the parameter, `null` removes it,
 * an absent value leaves it alone. The rest of the URL is unchanged, byte for byte.
 */
export function writeParameters(
  url: string,
  names: readonly string[],
  values: Readonly<Partial<Record<string, string | null>>>,
): string {
  const fields = names.filter((name) => values[name] !== undefined);
  if (fields.length === 0 || !/^https?:/i.test(url)) return url;
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
  const kept = pairs.filter((pair) => !fields.includes(pair.split('=')[0]!));
  const added = fields.flatMap((name) => {
    const value = values[name];
    return typeof value === 'string' ? [`${name}=${encodeURIComponent(value)}`] : [];
  });
  const query = [...kept, ...added].join('&');
  return base + (query === '' ? '' : `?${query}`) + fragment;
}

/** Adds UTM fields to a URL, except those that it already has. */
export function withMissingUtm(url: string, utm: Utm): string {
  const present = readUtm(url);
  const missing = UTM_FIELDS.filter((name) => utm[name] !== null && present[name] === null);
  if (missing.length === 0) return url;
  return writeUtm(url, Object.fromEntries(missing.map((name) => [name, utm[name]])));
}

/**
 * Removes UTM parameters from a destination: the list of frameable URLs has it without them, since
 * they do not decide whether a page may be framed.
 */
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
  /** Destinations that allow frames, if the record asks for frames. */
  frameable?: string[] | undefined;
}

const FIELDS = ['rewrite', 'url', 'ios', 'android', 'geo', 'rules', 'testVariants'] as const;

/** True when a change can alter which destinations are shown in a frame. */
const concernsFraming = (changes: Framing): boolean =>
  changes.rewrite !== false && FIELDS.some((field) => changes[field] !== undefined);

/** Returns the web addresses that a record would show in a frame. */
export function framedUrls({ rewrite, url, ios, android, geo, ...lists }: Framing): string[] {
  if (rewrite !== true) return [];
  const listed = [...(lists.rules ?? []), ...(lists.testVariants ?? [])].map((one) => one.url);
  const all = [url, ios, android, ...Object.values(geo ?? {}), ...listed];
  const web = all.filter((one) => typeof one === 'string' && /^https?:/i.test(one)) as string[];
  return [...new Set(web.map(framingKey))];
}

/** The deciding fields of a record after a change. */
function framingAfter(before: Framing, changes: Framing): Framing {
  const after = { ...before };
  for (const field of FIELDS) {
    if (changes[field] !== undefined) Object.assign(after, { [field]: changes[field] });
  }
  return after;
}

/** Finds the addresses that allow frames, with one request to each; an empty list costs no job. */
export async function requestFrameable(
  request: Requester,
  urls: readonly string[],
): Promise<string[]> {
  const unique = [...new Set(urls)];
  return unique.length === 0
    ? []
    : runJob(request, destinationJobs['pages.framing'], { urls: unique });
}

/**
 * Adds the destinations that allow frames to a change; a change that cannot affect frames is
 * returned unchanged.
 *
 * @param before reads the records to change; omitted for a new record
 */
export async function withFrameable<Changes extends Framing>(
  request: Requester,
  changes: Changes,
  before: () => Promise<readonly (Framing | undefined)[]> = async () => [{}],
): Promise<Changes> {
  if (!concernsFraming(changes)) return changes;
  const records = (await before()).filter((record) => record !== undefined);
  const urls = records.flatMap((record) => framedUrls(framingAfter(record, changes)));
  return urls.length === 0
    ? changes
    : { ...changes, frameable: await requestFrameable(request, urls) };
}
