import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { memoize } from '../infra/memoize.ts';
import { FACEBOOK_APP } from './device.ts';

/**
 * Classes of requests for links:
 * - `person`: a person's browser
 * - `suspect`: the same by its headers, but perhaps a mail scanner (`suspects.ts`)
 * - `excluded`: a visitor whose network or browser the workspace excludes
 * - `bot`: a program, or a browser that loads the link as a part of a page
 * - `preview`: a program that fetches a page to preview it in a chat or a feed
 * - `prefetch`: a browser that loads the link before anybody has opened it
 */
export type TrafficClass = 'person' | 'suspect' | 'excluded' | 'bot' | 'preview' | 'prefetch';

/** Classes of requests that are counted by program, and not as visits. */
export const LEFT_OUT_CLASSES = [
  'bot',
  'preview',
  'excluded',
] as const satisfies readonly TrafficClass[];
export type LeftOutClass = (typeof LEFT_OUT_CLASSES)[number];

/** Reasons for the class of a request. */
export type TrafficReason =
  | 'no-rule'
  | 'no-user-agent'
  /** The connection was reset before it was accepted. */
  | 'reset'
  | 'prefetch'
  | 'link-preview'
  /** Microsoft Office, which follows redirects before it opens a browser. */
  | 'office'
  /** A library, or the HTTP client of an app. */
  | 'library'
  | 'crawler'
  | 'measurement'
  | 'image-proxy'
  /** A user agent on the list of isbot. */
  | 'isbot'
  /** An image of a page. */
  | 'image'
  /** A script of a page, or a request by one. */
  | 'script'
  | 'assistant';

/** The class of a request by its headers, and its reason. */
export interface Traffic {
  readonly class: Exclude<TrafficClass, 'suspect' | 'excluded'>;
  readonly reason: TrafficReason;
}

/** A rule for one header. */
interface Rule extends Traffic {
  /** Name in lower case. */
  readonly header: string;
  readonly pattern: RegExp;
  /** The rule does not apply to requests with this value of another header. */
  readonly unless?: { readonly header: string; readonly value: string } | undefined;
  /** Public place that describes these requests. */
  readonly source: string;
  /** Value of the header that the rule matches. */
  readonly example: string;
}

type Row = Pick<Rule, 'pattern' | 'source' | 'example'>;
const USER_AGENT = 'user-agent';
const LIST = 'crawler-user-agents';
const CHROMIUM = 'Chromium 155, as observed';

const preview = (row: Row): Rule => ({
  ...row,
  class: 'preview',
  reason: 'link-preview',
  header: USER_AGENT,
});
const bot = (reason: TrafficReason, row: Row): Rule => ({
  ...row,
  class: 'bot',
  reason,
  header: USER_AGENT,
});

/**
 * All rules, in the order in which they apply. Apps name the same companies as their preview
 * fetchers ("LinkedInApp", "FBAN", "MetaIAB", "Twitter for iPhone"), so each name of a fetcher is
 * one that only the fetcher uses.
 */
export const RULES: readonly Rule[] = [
  ...['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map(
    (header): Rule => ({
      class: 'prefetch',
      reason: 'prefetch',
      header,
      pattern: /prefetch|preview|prerender/i,
      source: 'WICG/nav-speculation: issue 100; plausible/analytics: issue 5343',
      example: header === 'x-purpose' ? 'preview' : 'prefetch',
    }),
  ),
  {
    class: 'prefetch',
    reason: 'prefetch',
    header: 'next-router-prefetch',
    pattern: /^[12]$/,
    source: 'umami-software/umami: issue 3814',
    example: '1',
  },

  preview({
    pattern: /facebookexternalhit|facebot|facebookcatalog|meta-external(?:agent|fetcher|hit)/i,
    source: LIST,
    example: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  }),
  preview({
    pattern: /meta-webindexer|linkedinbot|xing bot|pinterest\.com\/bot|pinterestbot|redditbot/i,
    source: LIST,
    example: 'LinkedInBot/1.0 (compatible; Mozilla/5.0; +http://www.linkedin.com)',
  }),
  preview({
    pattern: /twitterbot|tweetmemebot|^tumblr\/|flipboardproxy|quora-bot|^ning\/|tiktokspider/i,
    source: LIST,
    example: 'Twitterbot/1.0',
  }),
  preview({
    pattern: /vkshare|vkrobot|odklbot|hatena|compatible; goodreads|everyonesocialbot|loomlybot/i,
    source: LIST,
    example: 'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)',
  }),
  preview({
    pattern: /^whatsapp(?:\/|$)|telegrambot|slackbot|slack-imgproxy|discordbot|skypeuripreview/i,
    source: LIST,
    example: 'WhatsApp/2.24.10.76 i',
  }),
  preview({
    pattern: /^viber|kakaotalk-scrap|line-poker|linespider|groupmebot|keybasebot|peekbot/i,
    source: LIST,
    example: 'Viber/18.0.1.286 CFNetwork/1335.0.3 Darwin/21.6.0',
  }),
  preview({
    pattern: /snapurlpreview|valve\/steam|dingtalkbot-linkservice|discourse forum onebox|\(dbot\)/i,
    source: LIST,
    example: 'Mozilla/5.0 (compatible; SnapURLPreview/1.0; +https://www.snapchat.com)',
  }),
  preview({
    pattern: /link ?preview|url preview|unfurl|notionembedder/i,
    source: LIST,
    example: 'Chatwork LinkPreview v1',
  }),
  preview({
    pattern: /mattermost-bot/i,
    source: 'mattermost/mattermost: server/platform/services/httpservice/client.go',
    example: 'Mattermost-Bot/1.1',
  }),
  preview({
    // Its apps name themselves before the browser.
    pattern: /rocket\.chat\/[\w.-]+$/i,
    source: 'RocketChat/Rocket.Chat: apps/meteor/app/oembed/server/server.ts',
    example: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/41.0.2227.0 Safari/537.36 Rocket.Chat/6.1.0',
  }),
  preview({
    pattern: /zulipurlpreview/i,
    source: 'zulip/zulip: zerver/lib/url_preview/preview.py',
    example: 'Mozilla/5.0 (compatible; ZulipURLPreview/9.0; +https://chat.example)',
  }),
  preview({
    pattern: /^nextcloud[ -]server[ -]crawler/i,
    source: 'nextcloud/server: lib/private/Http/Client/Client.php',
    example: 'Nextcloud-Server-Crawler/34.0.0',
  }),
  preview({
    pattern: /synapse|^(?:continuwuity|tuwunel)\//i,
    source: 'element-hq/synapse: synapse/media/url_previewer.py',
    example: 'Synapse (bot; +https://github.com/matrix-org/synapse)',
  }),
  preview({
    pattern: /(?:^|\()mastodon\/|friendica|lemmy|summalybot/i,
    source: 'mastodon/mastodon: app/services/fetch_link_card_service.rb',
    example: 'Mastodon/4.3.0 (http.rb/5.2.0; +https://social.example/) Bot',
  }),
  preview({
    pattern: /^(?:pleroma|akkoma) |^activityrelay\/|; activity-relay /i,
    source: 'BDX-town/Akkoma: lib/pleroma/web/rich_media/helpers.ex',
    example: 'Akkoma 3.15.2; https://social.example <admin@social.example>; Bot',
  }),
  preview({
    pattern: /^bluesky|bluesky cardyb|by support@bsky\.app/i,
    source: 'bluesky-social/social-app: issues 6521, 6538',
    example: 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
  }),
  preview({
    pattern: /(?:microsoft|bing|google web )preview|google(?:-pagerenderer|\.com\/\+\/web\/)/i,
    source: LIST,
    example: 'MicrosoftPreview/2.0; +https://aka.ms/MicrosoftPreview',
  }),
  preview({
    pattern: /embedly|iframely|opengraph\.io|^notion\/|evernoterichlink|mediumbot-metatagfetch/i,
    source: LIST,
    example: 'Iframely/1.3.1 (+https://iframely.com/docs/about)',
  }),
  preview({
    pattern: /googleimageproxy|yahoomailproxy|github-camo|twilioproxy|fastmailua|shortwave image/i,
    source: LIST,
    example: 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  }),
  preview({
    pattern: /addthis|newsharecounts|jetslide|dazzle|codabot|listgembot|supabase paired|aasa-bot/i,
    source: LIST,
    example: 'Mozilla/5.0 (compatible; Jetslide; +http://jetsli.de/crawler)',
  }),

  bot('office', {
    pattern: /^microsoft office[ /]|^mozilla\/4\.0 \(compatible; .*\bms-?office\b|^ms-office/i,
    source: 'wpo365/wpo365-login: issue 21; indico/indico: issue 4720; Microsoft KB 899927',
    example: 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  }),
  bot('office', {
    pattern: /^(?:microsoft )?(?:word|excel|powerpoint|onenote|outlook|macoutlook)\/\d/i,
    source: 'spilliton/fix_microsoft_links; grafana/grafana: issue 31091',
    example: 'Word/16.78 CFNetwork/1474 Darwin/23.0.0',
  }),
  bot('library', {
    pattern: /^outlook-(?:ios|android)\//i,
    source: 'hexydec/agentzero: tests of crawlers',
    example: 'Outlook-iOS/723.4132.prod.iphone (4.22.0)',
  }),
  bot('library', {
    pattern: /\bcfnetwork\/[\d.]+ darwin\/|^mobilesafari\//i,
    source: 'omrilotan/isbot: issue 238; DamonOehlman/detect-browser: issue 131',
    example: 'Slack/24.01.10 CFNetwork/1490.0.4 Darwin/23.2.0',
  }),
  bot('library', {
    pattern: /^dart\/[\d.]+ \(dart:io\)/i,
    source: 'matomo-org/device-detector: issue 7530',
    example: 'Dart/3.3 (dart:io)',
  }),
  bot('library', {
    pattern: /\balamofire\/\d/i,
    source: 'Alamofire/Alamofire: Source/Core/HTTPHeaders.swift',
    example: 'Example/1.0 (com.example.app; build:1; iOS 17.4.0) Alamofire/5.9.1',
  }),
  bot('library', {
    pattern: /\) (?:windows)?powershell\/\d/i,
    source: 'georgyo/ifconfig.io: issue 24',
    example: 'Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.22631; en-US) PowerShell/7.4.2',
  }),
  bot('library', {
    pattern: /^dalvik\//i,
    source: 'Android: libcore, the default of HttpURLConnection',
    example: 'Dalvik/2.1.0 (Linux; U; Android 14; SM-S918B Build/UP1A.231005.007)',
  }),
  bot('crawler', {
    // "CUBOT" is a phone, but nothing that calls itself compatible.
    pattern: /\(compatible; (?!msie)[^;)]*(?:bot|slurp|spider|crawler)/i,
    source: LIST,
    example: 'Mozilla/5.0 (compatible; Yahoo! Slurp)',
  }),
  bot('measurement', {
    pattern: /gtmetrix|miniature\.io\/|ylt chrome\/|tsm-turingos/i,
    source: LIST,
    example: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/117.0.0.0 Safari/537.36 GTmetrix',
  }),
  bot('image-proxy', {
    // No other versions of this browser, which people may use.
    pattern: /^mozilla\/5\.0 \(macintosh; .* 10\.10; rv:38\.0\) gecko\/20100101 firefox\/38\.0$/i,
    source: 'discord/discord-api-docs: issue 1600',
    example: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.10; rv:38.0) Gecko/20100101 Firefox/38.0',
  }),

  {
    class: 'bot',
    reason: 'image',
    header: 'sec-fetch-dest',
    pattern: /^image$/,
    source: CHROMIUM,
    example: 'image',
  },
  {
    class: 'bot',
    reason: 'script',
    header: 'sec-fetch-dest',
    pattern: /^(?:script|empty)$/,
    // A link with `download` that a person clicks is sent with `empty` and `navigate`.
    unless: { header: 'sec-fetch-mode', value: 'navigate' },
    source: CHROMIUM,
    example: 'empty',
  },
  {
    class: 'bot',
    reason: 'script',
    header: 'rsc',
    pattern: /^1$/,
    source: 'umami-software/umami: issue 3814',
    example: '1',
  },
  {
    class: 'bot',
    reason: 'assistant',
    header: 'signature-agent',
    pattern: /./,
    source: 'matomo-org/device-detector: issue 8170; IETF draft Web Bot Auth',
    example: '"https://chatgpt.com"',
  },
];

const PERSON: Traffic = { class: 'person', reason: 'no-rule' };
const NO_USER_AGENT: Traffic = { class: 'bot', reason: 'no-user-agent' };
const LISTED: Traffic = { class: 'bot', reason: 'isbot' };

const AGENTS = RULES.filter(({ header }) => header === USER_AGENT);
const PREFETCHES = RULES.filter((rule) => rule.class === 'prefetch');
const REQUESTS = RULES.filter((rule) => !AGENTS.includes(rule) && !PREFETCHES.includes(rule));

/** Length from which user agents are not remembered: cut from a header, they would keep it all. */
const MAX_REMEMBERED_LENGTH = 1_024;
/** Number of user agents to remember; people use a few hundred. */
const REMEMBERED_AGENTS = 5_000;

/** Name of WeChat's browser process, which isbot takes for a tool. */
const WECHAT_PROCESS = /process\/tools/i;

/**
 * True for user agents that isbot lists. Redirects and the worker that counts visits must agree, so
 * both call this. Cached, since user agents are few and the pattern is long.
 */
export const isBot = memoize(
  (userAgent: string) =>
    !FACEBOOK_APP.test(userAgent) && isbot(userAgent.replace(WECHAT_PROCESS, '')),
  new LRUCache<string, boolean>({ max: REMEMBERED_AGENTS }),
);

const agents = new LRUCache<string, Traffic>({ max: REMEMBERED_AGENTS });

/** Classifies a user agent. */
function trafficOfAgent(userAgent: string): Traffic {
  const known = agents.get(userAgent);
  if (known !== undefined) return known;
  const traffic = classifyAgent(userAgent);
  if (userAgent.length < MAX_REMEMBERED_LENGTH) agents.set(userAgent, traffic);
  return traffic;
}

function classifyAgent(userAgent: string): Traffic {
  if (userAgent === '') return NO_USER_AGENT;
  const rule = AGENTS.find(({ pattern }) => pattern.test(userAgent));
  return rule ?? (isBot(userAgent) ? LISTED : PERSON);
}

/**
 * Classifies a request.
 *
 * @param userAgent the header, of at most 1,024 UTF-16 units
 */
export function trafficOf(headers: IncomingHttpHeaders, userAgent: string): Traffic {
  const prefetch = ruleFor(PREFETCHES, headers);
  if (prefetch !== undefined) return prefetch;
  const traffic = trafficOfAgent(userAgent);
  return traffic === PERSON ? (ruleFor(REQUESTS, headers) ?? PERSON) : traffic;
}

function ruleFor(rules: readonly Rule[], headers: IncomingHttpHeaders): Rule | undefined {
  for (const rule of rules) {
    const value = headers[rule.header];
    if (value !== undefined && rule.pattern.test(String(value))) {
      const { unless } = rule;
      if (unless === undefined || headers[unless.header] !== unless.value) return rule;
    }
  }
  return undefined;
}
