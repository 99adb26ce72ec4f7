import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { AddressSet, PROXY_RANGES } from '../infra/ip.ts';
import { memoize } from '../infra/memoize.ts';
import type { NetworkTable } from './networks.ts';

/*
 * Finds suspects among the visits of the class `person`: mail scanners and other programs that send
 * the headers of a browser. A suspect gets the same response as a person.
 *
 * Rules not used, since they would mark people: the first visit of a new link (its author tests it,
 * and a text message is read within seconds), any two visits of a network (phones of a carrier share
 * an address), and a system in `Sec-CH-UA-Platform` other than that of the user agent (extensions).
 *
 * Private addresses have no suspects: such a visit comes from the network of the service, or through
 * a proxy that it does not know, whose visitors share one address.
 */

/** Reasons why a visit is a suspect; a network is followed by its owner. */
export type SuspectReason =
  | `network: ${string}`
  | 'headless'
  | 'no-accept-language'
  | 'no-fetch-metadata'
  | 'burst';

/** A visit, as far as the rules need it. */
export interface SuspectVisit {
  readonly headers: IncomingHttpHeaders;
  readonly userAgent: string;
  readonly ip: string;
  /** The visitor has sent the request over https. */
  readonly isSecure: boolean;
}

/** A rule for headers. */
interface HeaderRule {
  readonly reason: SuspectReason;
  /** Public place that describes these requests. */
  readonly source: string;
  readonly matches: (visit: SuspectVisit) => boolean;
}

/**
 * Agents of the browsers themselves, without names of apps and of WebViews, which leave headers out
 * more often.
 */
const PLAIN_BROWSER =
  /^Mozilla\/5\.0 \([^()]*\) (?:AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/[\d.]+ (?:Mobile )?Safari\/537\.36(?: Edg\/[\d.]+)?|Gecko\/[\d.]+ Firefox\/[\d.]+|AppleWebKit\/[\d.]+ \(KHTML, like Gecko\) Version\/[\d.]+ (?:Mobile\/\w+ )?Safari\/[\d.]+)$/;
const CHROME_VERSION = / Chrome\/(\d{1,4})\./;
/** Chrome sends `Sec-Fetch-*` from version 76; later ones leave room for other Chromiums. */
const FETCH_METADATA_VERSION = 90;
const REMEMBERED_AGENTS = 5_000;

/** Version of Chrome; 0 for other plain browsers, -1 for all other agents. */
const plainBrowser = memoize(
  (userAgent: string): number =>
    PLAIN_BROWSER.test(userAgent) ? Number(CHROME_VERSION.exec(userAgent)?.[1] ?? 0) : -1,
  new LRUCache<string, number>({ max: REMEMBERED_AGENTS }),
);

/** Rules for headers, in the order in which they apply. */
export const HEADER_RULES: readonly HeaderRule[] = [
  {
    reason: 'headless',
    source: 'monperrus/crawler-user-agents: pull request 198; WICG/ua-client-hints',
    matches: ({ headers }) => headers['sec-ch-ua']?.includes('HeadlessChrome') === true,
  },
  {
    reason: 'no-accept-language',
    source: 'berstend/puppeteer-extra: issue 51; ulixee/unblocked: issue 57',
    matches: ({ headers, userAgent }) =>
      headers['accept-language'] === undefined && plainBrowser(userAgent) >= 0,
  },
  {
    reason: 'no-fetch-metadata',
    source: 'W3C Fetch Metadata Request Headers, 2; apify/fingerprint-suite: issue 152',
    matches: ({ headers, userAgent, isSecure }) =>
      headers['sec-fetch-mode'] === undefined &&
      headers['sec-fetch-site'] === undefined &&
      isSecure &&
      plainBrowser(userAgent) >= FETCH_METADATA_VERSION,
  },
];

const PRIVATE = new AddressSet(
  ['loopback', 'linklocal', 'uniquelocal'].flatMap((name) => PROXY_RANGES[name]!),
);

/** Longest time between the visits of two links by one scanner, in ms; people need longer. */
const BURST_MS = 500;
/** Number of last visits to remember. */
const SLOTS = 4_096;

interface LastVisit {
  ip: string;
  userAgent: string;
  projectId: string;
  linkId: string;
  at: number;
}

/**
 * Remembers the last visit of each of some addresses. Addresses with the same slot replace each
 * other, which costs less than an order of use.
 */
class LastVisits {
  readonly #slots = Array.from(
    { length: SLOTS },
    (): LastVisit => ({ ip: '', userAgent: '', projectId: '', linkId: '', at: 0 }),
  );

  /** Records a visit. @returns true if another link of the workspace was visited just before */
  record(ip: string, userAgent: string, projectId: string, linkId: string, at: number): boolean {
    const last = this.#slots[slotOf(ip)]!;
    const isBurst =
      at - last.at <= BURST_MS &&
      last.linkId !== linkId &&
      last.ip === ip &&
      last.userAgent === userAgent &&
      last.projectId === projectId;
    last.ip = ip;
    last.userAgent = userAgent;
    last.projectId = projectId;
    last.linkId = linkId;
    last.at = at;
    return isBurst;
  }
}

function slotOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash & (SLOTS - 1);
}

/** Finds suspects; see the top of the file. */
export class Suspects {
  readonly #networks: NetworkTable;
  readonly #lastVisits = new LastVisits();

  constructor(networks: NetworkTable) {
    this.#networks = networks;
  }

  /**
   * Returns the reason why a visit of the class `person` is a suspect; `undefined` for a person.
   *
   * @param at time of the visit, in ms since 1970
   */
  reasonOf(
    visit: SuspectVisit,
    { projectId, linkId }: { projectId: string; linkId: string },
    at: number,
  ): SuspectReason | undefined {
    const { ip, userAgent } = visit;
    const isBurst = this.#lastVisits.record(ip, userAgent, projectId, linkId, at);
    const owner = this.#networks.ownerOf(ip);
    if (owner !== undefined) return `network: ${owner}`;
    const reason =
      HEADER_RULES.find((rule) => rule.matches(visit))?.reason ??
      // Scanners open all links of a message at once (mautic/mautic: issue 16263).
      (isBurst ? 'burst' : undefined);
    return reason === undefined || PRIVATE.has(ip) ? undefined : reason;
  }
}
