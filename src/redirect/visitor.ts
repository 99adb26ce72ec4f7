import { LRUCache } from 'lru-cache';
import { hopAddress, ipv4Number, plainIp, proxyTrust } from '../infra/ip.ts';
import type { RequestHead } from '../infra/plain-requests.ts';
import { isBot } from '../visitors/bots.ts';
import { isIos, readDevice } from '../visitors/device.ts';
import { NOWHERE, type Place } from '../visitors/places.ts';
import { favouriteLanguage, type Language, languageOf } from '../web/language.ts';

/** The traits of a visitor that rules match, in any letter case. */
export type Traits = Pick<Visitor, 'country' | 'city' | 'device' | 'os' | 'browser' | 'language'>;

/**
 * A visitor as described by a request. Most members are read from the headers only when a link
 * needs them.
 */
export class Visitor {
  /**
   * Requested host in lower case, without its port; empty if it cannot be a domain. Once the domain
   * is found, its name, which may lack a `www.` of the request.
   */
  host: string;
  readonly ip: string;
  readonly userAgent: string;
  readonly referer: string;
  /** A bot, a link preview or a prefetch: answered like a visit, but not counted. */
  readonly isAutomatic: boolean;
  readonly #request: RequestHead;
  readonly #isTrusted: boolean;
  /** Location of the visitor; unknown until it is looked up. */
  place: Place = NOWHERE;
  /** The workspace excludes the visitor: answered like others, but not counted. */
  isExcluded = false;

  constructor(
    request: RequestHead,
    parts: Pick<Visitor, 'host' | 'ip' | 'userAgent' | 'isAutomatic'> & { isTrusted: boolean },
  ) {
    this.host = parts.host;
    this.ip = parts.ip;
    this.userAgent = parts.userAgent;
    this.isAutomatic = parts.isAutomatic;
    this.referer = textOf(request.headers.referer, MAX_REFERER_LENGTH);
    this.#request = request;
    this.#isTrusted = parts.isTrusted;
  }

  /** True when the request came over https, as reported by a trusted proxy. */
  get isSecure(): boolean {
    if (!this.#isTrusted) return false;
    const header = textOf(this.#request.headers['x-forwarded-proto'], 100);
    return (
      header
        .slice(header.lastIndexOf(',') + 1)
        .trim()
        .toLowerCase() === 'https'
    );
  }

  /** True when the visitor fetches a page to preview it in a chat or a feed. */
  get isCrawler(): boolean {
    return isPreviewer(this.userAgent);
  }

  /** True if the visitor sends Global Privacy Control or Do Not Track. */
  get wantsPrivacy(): boolean {
    const { headers } = this.#request;
    return headers['sec-gpc'] === '1' || headers['dnt'] === '1';
  }

  get platform(): 'ios' | 'android' | undefined {
    if (isIos(this.userAgent)) return 'ios';
    return isAndroid(this.userAgent) ? 'android' : undefined;
  }

  get country(): string {
    return this.place.country;
  }

  get city(): string {
    return this.place.city;
  }

  get device(): string {
    return readDevice(this.userAgent).device;
  }

  get os(): string {
    return readDevice(this.userAgent).os;
  }

  get browser(): string {
    return readDevice(this.userAgent).browser;
  }

  /** The language tag that the visitor prefers. */
  get language(): string {
    return favouriteLanguage(this.#languages);
  }

  /** The supported language that the visitor prefers. */
  get pageLanguage(): Language {
    return languageOf(this.#languages);
  }

  get #languages(): string {
    return textOf(this.#request.headers['accept-language'], MAX_LANGUAGES_LENGTH);
  }
}

/** Windows phones claimed to be Android too. */
const isAndroid = (userAgent: string): boolean =>
  /android/i.test(userAgent) && !/windows phone/i.test(userAgent);

/** Number of user agents to remember; people use a few hundred. */
const REMEMBERED_AGENTS = 5_000;
/** Maximum lengths of the stored parts of headers, which clients control. */
const MAX_AGENT_LENGTH = 1_024;
const MAX_REFERER_LENGTH = 2_048;
const MAX_HOST_LENGTH = 253;
const MAX_LANGUAGES_LENGTH = 256;

/** Programs that fetch links for people or measure pages, and are missing in isbot. */
const MORE_BOTS = new RegExp(
  [
    '^(microsoft office/|ms-office|dalvik/|mobilesafari/)',
    'gtmetrix|miniature\\.io/|ylt chrome/|tsm-turingos',
    // The proxy of Discord, which fetches the pictures that messages link to.
    '^mozilla/5\\.0 \\(macintosh; intel mac os x 10\\.10; rv:38\\.0\\) gecko/20100101 firefox/38\\.0$',
  ].join('|'),
  'i',
);
const PREFETCH = /prefetch|preview|prerender/i;

/**
 * Programs that fetch a page to preview it. Browsers name the same companies ("LinkedInApp",
 * "FBAN", "MetaIAB", "Twitter for iPhone"), so each name here is one that only the fetcher uses.
 */
const PREVIEWS = new RegExp(
  [
    'facebookexternalhit|facebot|facebookcatalog|meta-external(agent|fetcher|hit)',
    'twitterbot|linkedinbot|^whatsapp(/|$)|slackbot|slack-imgproxy|telegrambot|discordbot',
    'skypeuripreview|microsoftpreview|bingpreview|pinterest\\.com/bot|pinterestbot|redditbot|^viber',
    '(^|\\()mastodon/|friendica|lemmy|^bluesky|bluesky cardyb|by support@bsky\\.app|embedly|iframely',
    '^(pleroma|akkoma) |^activityrelay/|; activity-relay |^(continuwuity|tuwunel)/',
    'zulipurlpreview|^nextcloud[ -]server[ -]crawler',
    'google web preview|google-pagerenderer|google\\.com/\\+/web/snippet',
    'snap url preview|snapurlpreview|flipboardproxy|vkshare|vkrobot|odklbot|kakaotalk-scrap|line-poker',
    'linespider|groupmebot|keybasebot|mattermost-bot|synapse|summalybot|discourse forum onebox',
    'chatwork linkpreview|dingtalkbot-linkservice|xing bot|opengraph\\.io|^notion/|notionembedder',
    'yahoo link preview|quora-bot|quora link preview|evernoterichlinkbot|^tumblr/|hatena|valve/steam',
    'addthis|tweetmemebot|^ning/|unfurl|linkpreview|link preview|url preview|peekbot|\\(dbot\\)',
    'fastmailua|shortwave image fetcher|mediumbot-metatagfetcher|compatible; goodreads',
    'everyonesocialbot|loomlybot',
    'googleimageproxy|yahoomailproxy|github-camo|twilioproxy|codabot|dazzle|jetslide|newsharecounts',
    'orlo-linkpreview|listgembot|supabase paired crawler|tiktokspider|aasa-bot|meta-webindexer',
  ].join('|'),
  'i',
);

/** Rocket.Chat's server, at the end of the agent; its apps name themselves before the browser. */
const ROCKET_CHAT = /rocket\.chat\/[\w.-]+$/i;
const isPreviewer = (agent: string) => PREVIEWS.test(agent) || ROCKET_CHAT.test(agent);

/** Reads visitors from requests. */
export class VisitorReader {
  readonly #isProxy: ReturnType<typeof proxyTrust>;
  readonly #bots = new LRUCache<string, boolean>({ max: REMEMBERED_AGENTS });

  /** @param proxies trusted to set `X-Forwarded-For` and `X-Forwarded-Proto` (`proxyTrust`) */
  constructor(proxies: number | readonly string[]) {
    this.#isProxy = proxyTrust(proxies);
  }

  read(request: RequestHead): Visitor {
    const headers = request.headers;
    const userAgent = textOf(headers['user-agent'], MAX_AGENT_LENGTH);
    const purpose =
      headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? headers['x-moz'];
    const peer = plainIp(request.socket.remoteAddress ?? '');
    const isTrusted = this.#isProxy(peer, 0);
    return new Visitor(request, {
      host: normalizeHost(headers.host ?? ''),
      ip: isTrusted ? this.#forwarded(peer, headers['x-forwarded-for']) : peer,
      userAgent,
      isAutomatic:
        // The connection was reset before it was accepted.
        peer === '' ||
        (purpose !== undefined && PREFETCH.test(String(purpose))) ||
        this.#isBot(userAgent),
      isTrusted,
    });
  }

  #isBot(userAgent: string): boolean {
    const cached = this.#bots.get(userAgent);
    if (cached !== undefined) return cached;
    const isAutomatic =
      userAgent === '' || isBot(userAgent) || MORE_BOTS.test(userAgent) || isPreviewer(userAgent);
    // A substring would keep the whole header in memory.
    if (userAgent.length >= MAX_AGENT_LENGTH) return isAutomatic;
    this.#bots.set(userAgent, isAutomatic);
    return isAutomatic;
  }

  /**
   * Returns the rightmost address that is not a trusted proxy; addresses left of it may be forged.
   */
  #forwarded(peer: string, header: string | string[] | undefined): string {
    if (header === undefined) return peer;
    const forwarded = String(header);
    // A single proxy that wrote an IPv4 address, with nothing before it.
    if (ipv4Number(forwarded) !== undefined) return forwarded;
    let ip = peer;
    let index = 0;
    for (let end = forwarded.length; end > 0; ) {
      const comma = forwarded.lastIndexOf(',', end - 1);
      const hop = forwarded.slice(comma + 1, end).trim();
      end = comma;
      if (hop === '') continue;
      const address = hopAddress(hop);
      if (address === '') break;
      ip = address;
      index += 1;
      if (!this.#isProxy(ip, index)) break;
    }
    return ip;
  }
}

function textOf(header: string | string[] | undefined, longest: number): string {
  if (header === undefined) return '';
  const text = typeof header === 'string' ? header : header.join(', ');
  return text.length > longest ? text.slice(0, longest) : text;
}

/** Normalizes a `Host` header to the form of stored domains. */
export function normalizeHost(header: string): string {
  let end = header.length;
  if (header.charCodeAt(0) === 0x5b) {
    // [2001:db8::1]:3001
    const close = header.indexOf(']');
    return close < 0 ? '' : header.slice(1, close).toLowerCase();
  }
  const colon = header.indexOf(':');
  if (colon >= 0) end = colon;
  if (header.charCodeAt(end - 1) === 0x2e) end -= 1;
  if (end > MAX_HOST_LENGTH) return '';
  return end === header.length ? header.toLowerCase() : header.slice(0, end).toLowerCase();
}
