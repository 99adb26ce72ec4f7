import { UNKNOWN } from './places.ts';

/*
 * Names of the sites and apps that visitors come from. Events store the host of the referrer, or
 * the package name of an Android app; sources are derived from it when events are counted, so that
 * a row that is added here also names the sources of older events.
 */

/** A source with a name of its own. */
interface Source {
  name: string;
  /** Hosts in lower case, without `www.`. */
  hosts: readonly string[];
  /** Package names of Android apps in lower case. */
  apps?: readonly string[];
  /** Public place that lists the hosts and apps, or reports them as one source. */
  source: string;
}

/** Value of the referrer when there is none. */
export const DIRECT = '(direct)';

const MATOMO = 'matomo-org/searchengine-and-social-list: Socials.yml, SearchEngines.yml';
const PLAUSIBLE = 'plausible/analytics: priv/custom_sources.json';
const APPS = 'plausible/analytics: issue 3715; umami-software/umami: issue 2828';

/** Subdomains of domains. */
const under = (subdomains: readonly string[], ...domains: readonly string[]): string[] =>
  domains.flatMap((domain) => [domain, ...subdomains.map((name) => `${name}.${domain}`)]);

/** Endings of the domains of Google's search (https://www.google.com/supported_domains). */
const GOOGLE =
  'com ad ae com.af com.ag com.ai al am co.ao com.ar as at com.au az ba com.bd be bf bg com.bh ' +
  'bi bj com.bn com.bo com.br bs bt co.bw by com.bz ca cd cf cg ch ci co.ck cl cm cn com.co ' +
  'co.cr com.cu cv com.cy cz de dj dk dm com.do dz com.ec ee com.eg es com.et fi com.fj fm fr ' +
  'ga ge gg com.gh com.gi gl gm gp gr com.gt gy com.hk hn hr ht hu co.id ie co.il im co.in iq ' +
  'is it je com.jm jo co.jp co.ke com.kh ki kg co.kr com.kw kz la com.lb li lk co.ls lt lu lv ' +
  'com.ly co.ma md me mg mk ml com.mm mn ms com.mt mu mv mw com.mx com.my co.mz com.na com.nf ' +
  'com.ng com.ni ne nl no com.np nr nu co.nz com.om com.pa com.pe com.pg com.ph com.pk pl pn ' +
  'com.pr ps pt com.py com.qa ro ru rw com.sa com.sb sc se com.sg sh si sk com.sl sn so sm sr ' +
  'st com.sv td tg co.th com.tj tk tl tm tn to com.tr tt com.tw co.tz com.ua co.ug co.uk com.uy ' +
  'co.uz com.vc co.ve vg co.vi com.vn vu ws rs co.za co.zm co.zw cat';

/** All named sources. */
export const SOURCES: readonly Source[] = [
  { name: DIRECT, hosts: [DIRECT], source: 'the value without a referrer' },
  { name: UNKNOWN, hosts: [UNKNOWN], source: 'leads and sales without a click' },
  {
    name: 'Google',
    hosts: [
      ...under(['images'], ...GOOGLE.split(' ').map((end) => `google.${end}`)),
      'm.google.com',
      'encrypted.google.com',
    ],
    apps: ['com.google.android.googlequicksearchbox', 'com.google.android.apps.searchlite'],
    source: `google.com/supported_domains; ${APPS}; snowplow-referer-parser: issue 131`,
  },
  {
    name: 'Gmail',
    hosts: ['mail.google.com', 'inbox.google.com', 'gmail.com'],
    apps: ['com.google.android.gm', 'com.google.android.gm.lite'],
    source: `${APPS}; snowplow-referer-parser: referers.yml`,
  },
  {
    name: 'Google News',
    hosts: ['news.google.com'],
    apps: ['com.google.android.apps.magazines'],
    source: `${MATOMO}; play.google.com`,
  },
  {
    name: 'Google Chat',
    hosts: ['chat.google.com'],
    apps: ['com.google.android.apps.dynamite'],
    source: 'play.google.com',
  },
  {
    name: 'Google Messages',
    hosts: ['messages.google.com'],
    apps: ['com.google.android.apps.messaging'],
    source: 'play.google.com',
  },
  {
    name: 'Google Maps',
    hosts: ['maps.google.com'],
    apps: ['com.google.android.apps.maps'],
    source: 'play.google.com',
  },
  {
    name: 'Gemini',
    hosts: ['gemini.google.com', 'bard.google.com'],
    apps: ['com.google.android.apps.bard'],
    source: 'matomo-org/searchengine-and-social-list: AIAssistants.yml; play.google.com',
  },
  {
    name: 'YouTube',
    hosts: [...under(['m', 'music', 'studio', 'gaming'], 'youtube.com'), 'youtu.be'],
    apps: ['com.google.android.youtube'],
    source: `${MATOMO}; play.google.com`,
  },
  {
    name: 'Facebook',
    hosts: [
      ...under(
        ['l', 'lm', 'm', 'mobile', 'touch', 'mtouch', 'web', 'free', 'mbasic', 'business'],
        'facebook.com',
      ),
      'fb.com',
      'fb.me',
      'fb.watch',
    ],
    apps: ['com.facebook.katana', 'com.facebook.lite'],
    source: `${MATOMO}; ibericode/koko-analytics: issue 43; usefathom/fathom: issue 38`,
  },
  {
    name: 'Messenger',
    hosts: [...under(['l'], 'messenger.com'), 'm.me'],
    apps: ['com.facebook.orca', 'com.facebook.mlite'],
    source: 'play.google.com; Meta: documentation of m.me links',
  },
  {
    name: 'Instagram',
    hosts: under(['l', 'm', 'lm', 'help'], 'instagram.com'),
    apps: ['com.instagram.android', 'com.instagram.lite'],
    source: `${MATOMO}; umami-software/umami: issue 1260`,
  },
  {
    name: 'Threads',
    hosts: [...under(['l'], 'threads.net'), ...under(['l'], 'threads.com')],
    apps: ['com.instagram.barcelona'],
    source: 'play.google.com; pirsch-analytics/pirsch: issue 164',
  },
  {
    name: 'WhatsApp',
    hosts: [...under(['web', 'l', 'api'], 'whatsapp.com'), 'wa.me'],
    apps: ['com.whatsapp', 'com.whatsapp.w4b'],
    source: 'play.google.com; WhatsApp: documentation of click to chat',
  },
  {
    name: 'X',
    hosts: [...under(['m', 'mobile'], 'x.com', 'twitter.com'), 't.co', 'tweetdeck.com'],
    apps: ['com.twitter.android', 'com.twitter.android.lite'],
    source: `${MATOMO}; goatcounter: issue 793`,
  },
  {
    name: 'LinkedIn',
    hosts: [
      ...under(['m', 'touch', 'de', 'fr', 'uk', 'nl', 'es', 'it', 'in', 'br'], 'linkedin.com'),
      'lnkd.in',
    ],
    apps: ['com.linkedin.android', 'com.linkedin.android.lite'],
    source: `${MATOMO}; ${APPS}`,
  },
  {
    name: 'Reddit',
    hosts: [
      ...under(['out', 'old', 'new', 'np', 'm', 'i', 'amp', 'pay', 'sh'], 'reddit.com'),
      'redd.it',
    ],
    apps: ['com.reddit.frontpage'],
    source: `${MATOMO}; ${PLAUSIBLE}`,
  },
  {
    name: 'Pinterest',
    hosts: [
      ...under(
        ['m', 'br', 'de', 'es', 'fr', 'gr', 'in', 'it', 'kr', 'nl', 'pl', 'ru'],
        'pinterest.com',
      ),
      ...'at ca ch cl co.kr co.uk com.au com.mx de dk es fr ie it jp nz ph pt se'
        .split(' ')
        .map((end) => `pinterest.${end}`),
      'pin.it',
    ],
    apps: ['com.pinterest'],
    source: `${MATOMO}; ${APPS}`,
  },
  {
    name: 'TikTok',
    hosts: under(['m', 'vm', 'vt', 'lite'], 'tiktok.com'),
    apps: ['com.zhiliaoapp.musically', 'com.ss.android.ugc.trill', 'com.zhiliaoapp.musically.go'],
    source: 'play.google.com; snowplow-referer-parser: referers.yml',
  },
  {
    name: 'Snapchat',
    hosts: under(['web', 'story', 'l'], 'snapchat.com'),
    apps: ['com.snapchat.android'],
    source: 'play.google.com; snowplow-referer-parser: referers.yml',
  },
  {
    name: 'Telegram',
    hosts: [...under(['web', 'weba', 'webk'], 'telegram.org'), 't.me', 'telegram.me'],
    apps: ['org.telegram.messenger', 'org.telegram.messenger.web', 'org.thunderdog.challegram'],
    source: `${MATOMO}; ${PLAUSIBLE}`,
  },
  {
    name: 'Slack',
    hosts: under(['app'], 'slack.com'),
    apps: ['com.slack'],
    source: `${APPS}; pirsch-analytics/pirsch: issue 88`,
  },
  {
    name: 'Discord',
    hosts: under(['ptb', 'canary'], 'discord.com', 'discordapp.com'),
    apps: ['com.discord'],
    source: `${PLAUSIBLE}; play.google.com`,
  },
  {
    name: 'Microsoft Teams',
    hosts: [
      'teams.microsoft.com',
      'teams.live.com',
      'teams.cloud.microsoft',
      'statics.teams.cdn.office.net',
    ],
    apps: ['com.microsoft.teams'],
    source: `${PLAUSIBLE}; play.google.com`,
  },
  {
    name: 'Outlook',
    hosts: [
      'outlook.live.com',
      'outlook.office.com',
      'outlook.office365.com',
      'outlook.cloud.microsoft',
    ],
    apps: ['com.microsoft.office.outlook'],
    source: 'snowplow-referer-parser: referers.yml; play.google.com',
  },
  {
    name: 'Yahoo Mail',
    hosts: ['mail.yahoo.com', 'mg.mail.yahoo.com'],
    apps: ['com.yahoo.mobile.client.android.mail'],
    source: 'snowplow-referer-parser: referers.yml; play.google.com',
  },
  {
    name: 'LINE',
    hosts: under(['liff', 'access'], 'line.me'),
    apps: ['jp.naver.line.android'],
    source: 'play.google.com',
  },
  {
    name: 'Bing',
    hosts: [...under(['m', 'cn'], 'bing.com'), 'ntp.msn.com'],
    apps: ['com.microsoft.bing'],
    source: `${MATOMO}; ${PLAUSIBLE}`,
  },
  {
    name: 'DuckDuckGo',
    hosts: under(['html', 'lite', 'start', 'noai'], 'duckduckgo.com'),
    apps: ['com.duckduckgo.mobile.android'],
    source: `${MATOMO}; play.google.com`,
  },
  {
    name: 'Yahoo',
    hosts: [
      ...under(
        ['search', 'r.search', 'news', 'm', 'de', 'fr', 'uk', 'in', 'ca', 'au'],
        'yahoo.com',
      ),
      ...['de', 'fr', 'uk', 'in', 'ca', 'au', 'es', 'it', 'br', 'mx'].map(
        (country) => `${country}.search.yahoo.com`,
      ),
      'yahoo.co.jp',
      'search.yahoo.co.jp',
    ],
    source: MATOMO,
  },
  {
    name: 'Yandex',
    hosts: [
      ...'com ru by kz ua uz com.tr eu fr tm com.am com.ge az md'
        .split(' ')
        .map((end) => `yandex.${end}`),
      'ya.ru',
    ],
    apps: ['ru.yandex.searchplugin', 'com.yandex.browser'],
    source: `${MATOMO}; ${PLAUSIBLE}`,
  },
  { name: 'Baidu', hosts: under(['m'], 'baidu.com'), source: `${MATOMO}; ${PLAUSIBLE}` },
  { name: 'Ecosia', hosts: ['ecosia.org'], apps: ['com.ecosia.android'], source: MATOMO },
  { name: 'Brave Search', hosts: ['search.brave.com'], source: PLAUSIBLE },
  { name: 'Startpage', hosts: ['startpage.com', 'eu.startpage.com'], source: MATOMO },
  { name: 'Qwant', hosts: under(['lite'], 'qwant.com'), source: MATOMO },
  { name: 'Kagi', hosts: ['kagi.com'], source: MATOMO },
  {
    name: 'ChatGPT',
    hosts: ['chatgpt.com', 'chat.openai.com'],
    apps: ['com.openai.chatgpt'],
    source: 'matomo-org/searchengine-and-social-list: AIAssistants.yml; play.google.com',
  },
  {
    name: 'Perplexity',
    hosts: ['perplexity.ai'],
    apps: ['ai.perplexity.app.android'],
    source: `${PLAUSIBLE}; play.google.com`,
  },
  {
    name: 'Claude',
    hosts: ['claude.ai'],
    apps: ['com.anthropic.claude'],
    source: 'matomo-org/searchengine-and-social-list: AIAssistants.yml; play.google.com',
  },
  {
    name: 'Microsoft Copilot',
    hosts: ['copilot.microsoft.com', 'm365.cloud.microsoft', 'copilot.cloud.microsoft'],
    apps: ['com.microsoft.copilot'],
    source: 'matomo-org/searchengine-and-social-list: AIAssistants.yml; play.google.com',
  },
  {
    name: 'DeepSeek',
    hosts: ['chat.deepseek.com'],
    apps: ['com.deepseek.chat'],
    source: 'matomo-org/searchengine-and-social-list: AIAssistants.yml; play.google.com',
  },
  { name: 'Hacker News', hosts: ['news.ycombinator.com', 'hckrnews.com'], source: MATOMO },
  {
    name: 'Bluesky',
    hosts: ['bsky.app', 'go.bsky.app'],
    apps: ['xyz.blueskyweb.app'],
    source: 'bluesky-social/social-app: app.config.js',
  },
  { name: 'GitHub', hosts: ['github.com'], apps: ['com.github.android'], source: MATOMO },
  { name: 'Medium', hosts: ['medium.com'], apps: ['com.medium.reader'], source: 'play.google.com' },
  { name: 'Quora', hosts: ['quora.com'], apps: ['com.quora.android'], source: 'play.google.com' },
  {
    name: 'Tumblr',
    hosts: under(['t'], 'tumblr.com'),
    apps: ['com.tumblr'],
    source: MATOMO,
  },
  {
    name: 'VK',
    hosts: [...under(['m', 'away'], 'vk.com'), 'vk.ru', 'vkontakte.ru'],
    apps: ['com.vkontakte.android'],
    source: MATOMO,
  },
  {
    name: 'OK',
    hosts: [...under(['m'], 'ok.ru'), 'odnoklassniki.ru'],
    apps: ['ru.ok.android'],
    source: MATOMO,
  },
  {
    name: 'Weibo',
    hosts: [...under(['m'], 'weibo.com'), 'weibo.cn', 'm.weibo.cn', 't.cn'],
    apps: ['com.sina.weibo'],
    source: MATOMO,
  },
  { name: 'XING', hosts: ['xing.com'], apps: ['com.xing.android'], source: MATOMO },
  { name: 'Linktree', hosts: ['linktr.ee'], source: PLAUSIBLE },
  {
    name: 'Substack',
    hosts: ['substack.com'],
    apps: ['com.substack.app'],
    source: 'play.google.com',
  },
];

/**
 * The values of referrers that each named source has, without `www.`. Its name in lower case is one
 * of them, so that filters find it in any case.
 */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map(
  SOURCES.map(({ name, hosts, apps = [] }) => [
    name,
    [...new Set([...hosts, ...apps, name.toLowerCase()])],
  ]),
);

/** Names of sources by the values of {@link VALUES}. */
export const SOURCE_NAMES: ReadonlyMap<string, string> = new Map(
  Array.from(VALUES, ([name, values]) => values.map((value) => [value, name] as const)).flat(),
);

/** Removes a leading `www.` from a host, unless no domain follows. */
const withoutWww = (host: string): string =>
  host.startsWith('www.') && !host.startsWith('www.www.') && host.includes('.', 4)
    ? host.slice(4)
    : host;

/** Names the source of a stored referrer: a named one, or the host without `www.`. */
export function sourceOf(referer: string): string {
  const host = withoutWww(referer);
  return SOURCE_NAMES.get(host) ?? host;
}

/** Lists the stored referrers of sources, which can be given by one of their hosts too. */
export const referersOf = (sources: readonly string[]): string[] => [
  ...new Set(
    sources.flatMap((text) => {
      const source = sourceOf(text.toLowerCase());
      const values = VALUES.get(source) ?? [source];
      return values.flatMap((value) =>
        [value, `www.${value}`].filter((referer) => withoutWww(referer) === value),
      );
    }),
  ),
];
