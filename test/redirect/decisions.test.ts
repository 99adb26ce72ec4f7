import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, browser, type VisitOptions, visit, type World } from '../support/world.ts';

/*
 * The decision table of the redirect. A row makes a record of its own, asks for it once, and says what comes back.
 * Texts of a row may have names in braces that are known only when it runs: {key}, {host}, {site}, {soon}, {page},
 * {questions}.
 */

/** What a row makes at its address. */
interface Setup {
  kind: 'links' | 'qrcodes' | 'domains' | 'nothing';
  fields: Record<string, unknown>;
  isUnverified?: boolean;
}

/** How its address is asked for. */
interface Asking extends VisitOptions {
  /** Of a record `/{key}` if absent, of a domain `/`. */
  path?: string;
  /** User agents of the visitors who came before. */
  earlier?: string[];
}

/** What comes back; an asterisk stands for any text, `null` for a header that is absent. */
interface Expected {
  status: number;
  headers?: Record<string, string | null>;
  shows?: string[];
  hides?: string[];
}

type Row = [title: string, setup: Setup, asking: Asking, expected: Expected];

interface Topic {
  topic: string;
  /** Set on the domain that all of its rows share. */
  domain?: Record<string, unknown>;
  rows: Row[];
}

const A = 'https://example.com/a';
const B = 'https://example.com/b';
const C = 'https://example.com/c';
const OVER = 'https://example.com/over';
const STORE = 'https://apps.example.com/id1';
const FUTURE = '2199-01-01T00:00:00Z';
const PAST = '2020-01-01T00:00:00Z';

const link = (fields: Setup['fields'] = {}): Setup => ({
  kind: 'links',
  fields: { url: A, ...fields },
});
const qrCode = (fields: Setup['fields'] = {}): Setup => ({
  kind: 'qrcodes',
  fields: { ...('type' in fields ? {} : { type: 'url', url: A }), ...fields },
});
const domain = (fields: Setup['fields'] = {}): Setup => ({ kind: 'domains', fields });
const unverified = (fields: Setup['fields'] = {}): Setup => ({
  ...domain(fields),
  isUnverified: true,
});
const NOTHING: Setup = { kind: 'nothing', fields: {} };

const to = (location: string, status = 302, headers: Expected['headers'] = {}): Expected => ({
  status,
  headers: { location, ...headers },
});
const page = (status: number, title: string, ...texts: string[]): Expected => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', location: null },
  shows: [`<title>${title}</title>`, ...texts],
});
const frame = (url: string): Expected => ({
  status: 200,
  headers: { location: null },
  shows: [`<iframe src="${url}"`],
});
const card = (title: string): Expected =>
  page(200, title, `<meta property="og:title" content="${title}">`);

const NOT_FOUND = page(404, 'Link not found');
const NOT_STARTED = page(404, 'Not open yet');
const EXPIRED = page(410, 'Link expired');
const PASSWORD = page(403, 'Protected link');
const PREVIEW = page(200, 'Where this link leads');
const BEFORE = page(200, 'Please read this');
const FORM = page(200, 'Tell us first');

const HEAD = { method: 'HEAD' };
const GERMANY = { headers: { 'x-forwarded-for': '192.0.2.1' } };
const JAPAN = { headers: { 'x-forwarded-for': '198.51.100.7' } };
const BRAZIL = { headers: { 'x-forwarded-for': '203.0.113.9' } };
const FRANCE = { headers: { 'x-forwarded-for': '2001:db8::5' } };
const HTTPS = { headers: { 'x-forwarded-proto': 'https' } };
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const speaking = (languages: string) => ({ headers: { 'accept-language': languages } });
const by = (userAgent: string) => ({ userAgent });

const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const AGENTS = {
  iPhone: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${APPLE} Version/17.5 Mobile/15E148 Safari/604.1`,
  iPad: `Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) ${APPLE} Version/12.1 Mobile/15E148 Safari/604.1`,
  iPod: `Mozilla/5.0 (iPod touch; CPU iPhone OS 12_5 like Mac OS X) ${APPLE} Version/12.1 Mobile/15E148 Safari/604.1`,
  iPadChrome: `${MAC} ${APPLE} CriOS/126 Version/11.1.1 Safari/605.1.15`,
  iPadFirefox: `${MAC} ${APPLE} FxiOS/127 Version/11.1.1 Safari/605.1.15`,
  iPadEdge: `${MAC} ${APPLE} Version/17.0 EdgiOS/126.0.2592.56 Safari/605.1.15`,
  iPadApp: `${MAC} ${APPLE} Mobile/15E148`,
  androidPhone: `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${BLINK} Chrome/126.0.0.0 Mobile Safari/537.36`,
  androidTablet: `Mozilla/5.0 (Linux; Android 13; SM-X906C) ${BLINK} Chrome/126.0.0.0 Safari/537.36`,
  windowsPhone: `Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; ARM; Trident/7.0; Touch; rv:11.0; IEMobile/11.0; NOKIA; Lumia 520) like iPhone OS 7_0_3 Mac OS X ${BLINK} Mobile Safari/537`,
  macSafari: `${MAC} ${APPLE} Version/17.5 Safari/605.1.15`,
  macChrome: `${MAC} ${BLINK} Chrome/126.0.0.0 Safari/537.36`,
  windowsEdge: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${BLINK} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0`,
  windowsFirefox:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
  linuxFirefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  television: `Mozilla/5.0 (SMART-TV; Linux; Tizen 5.0) ${BLINK} SamsungBrowser/2.2 Chrome/63.0.3239.84 TV Safari/537.36`,
};
const FACEBOOK = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)';

const CRAWLERS: Record<string, string> = {
  Facebook: FACEBOOK,
  Twitter: 'Twitterbot/1.0',
  LinkedIn: 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  WhatsApp: 'WhatsApp/2.23.20.0 A',
  Slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  Telegram: 'TelegramBot (like TwitterBot)',
  Discord: 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'Teams and Skype': `Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com`,
  Pinterest: 'Pinterest/0.2 (+https://www.pinterest.com/bot.html)Mozilla/5.0 (compatible)',
  Reddit: 'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)',
  Mastodon: 'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/)',
  Bluesky: 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
  iMessage: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0`,
  Iframely: 'Iframely/1.3.1 (+https://iframely.com/docs/about) Atlassian',
  VK: 'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)',
};
/** They name the firms of crawlers, or are robots of another kind. */
const NO_CRAWLERS: Record<string, string> = {
  'Chrome on Linux': browser(),
  'the Facebook app': `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${APPLE} Mobile/15E148 [FBAN/FBIOS;FBAV/467.0.0.41.103;FBBV/603150236;FBDV/iPhone14,5;FBMD/iPhone]`,
  'the LinkedIn app': `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${APPLE} Mobile/15E148 [LinkedInApp]/9.29.8962`,
  'the Twitter app': `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${APPLE} Mobile/15E148 Twitter for iPhone/10.40`,
  'the Pinterest app': `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${APPLE} Mobile/15E148 [Pinterest/iOS]`,
  'the Instagram app': `Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) ${BLINK} Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36 Instagram 334.0.0.42.95 Android`,
  Googlebot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  curl: 'curl/8.5.0',
  'no user agent': '',
};

const rule = (value: unknown, url = B) => ({ value, url });
const ruled = (...values: unknown[]) => link({ rules: values.map((value) => rule(value)) });

/** A zone in which it is this hour now, and its days: a window of hours stays true while the tests run. */
function zoneWhereItIs(hour: number) {
  const now = Date.now();
  const behind = (((hour - new Date(now).getUTCHours()) % 24) + 24) % 24;
  const offset = behind > 14 ? behind - 24 : behind;
  const dayAt = (ms: number) =>
    ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date(ms).getUTCDay()]!;
  const local = now + offset * 3_600_000;
  return {
    // The signs of these zones are turned round: Etc/GMT-2 is ahead of UTC.
    timezone: `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`,
    yesterday: dayAt(local - 86_400_000),
    today: dayAt(local),
    tomorrow: dayAt(local + 86_400_000),
  };
}
const NOON = zoneWhereItIs(12);
const LATE = zoneWhereItIs(22);
const NIGHT = zoneWhereItIs(1);
const utcClock = (hoursFromNow: number) =>
  new Date(Date.now() + hoursFromNow * 3_600_000).toISOString().slice(11, 16);

const SECRET = {
  url: 'https://example.com/clandestine-place',
  title: 'Clandestine title',
  description: 'Clandestine description',
  image: 'https://example.com/clandestine.png',
  video: 'https://example.com/clandestine.mp4',
  ios: 'https://example.com/clandestine-ios',
  geo: { DE: 'https://example.com/clandestine-geo' },
  proxy: true,
  password: 'open sesame',
};
const hiding = (expected: Expected): Expected => ({ ...expected, hides: ['clandestine'] });

const CARD = { proxy: true, title: 'A card' };

const PAGE = { preRedirection: true, pageId: '{page}' };
const OWN_PAGE = { preRedirection: true, pageUrl: 'https://example.com/own' };
const TRACKED = { trackConversion: true };
const NO_CLICK = { 'set-cookie': null };
const WIFI = { type: 'wifi', wifi: { ssid: 'Guests', password: 'correct horse' } };
const CONTACT = { type: 'vcard', vcard: { firstName: 'Ada', lastName: 'Lovelace' } };

/** What the pages of the site answer that are to be framed. */
const SITE: Record<string, Record<string, string>> = {
  '/free': {},
  '/deny': { 'x-frame-options': 'DENY' },
  '/same-origin': { 'x-frame-options': 'SAMEORIGIN' },
  '/none': { 'content-security-policy': "default-src *; frame-ancestors 'none'" },
  '/self': { 'content-security-policy': "frame-ancestors 'self'" },
  '/everybody': { 'content-security-policy': 'frame-ancestors *' },
  '/overruled': { 'x-frame-options': 'DENY', 'content-security-policy': 'frame-ancestors *' },
  '/two-policies': { 'content-security-policy': "frame-ancestors *, frame-ancestors 'none'" },
};
const framed = (path: string) => link({ url: `{site}${path}`, rewrite: true });

const DEVICES: [name: string, location: string, agents: Record<string, string>][] = [
  [
    'the App Store',
    B,
    {
      'an iPhone': AGENTS.iPhone,
      'an iPad': AGENTS.iPad,
      'an iPod': AGENTS.iPod,
      'Chrome on iPadOS': AGENTS.iPadChrome,
      'Firefox on iPadOS': AGENTS.iPadFirefox,
      'Edge on iPadOS': AGENTS.iPadEdge,
      'an app on iPadOS': AGENTS.iPadApp,
      'the Facebook app on an iPhone': NO_CRAWLERS['the Facebook app']!,
    },
  ],
  [
    'Google Play',
    C,
    {
      'an Android phone': AGENTS.androidPhone,
      'an Android tablet': AGENTS.androidTablet,
      'the Instagram app on Android': NO_CRAWLERS['the Instagram app']!,
    },
  ],
  [
    'the destination',
    A,
    {
      'Safari on a Mac, which may be an iPad': AGENTS.macSafari,
      'Chrome on a Mac': AGENTS.macChrome,
      'Edge on Windows': AGENTS.windowsEdge,
      'Firefox on Windows': AGENTS.windowsFirefox,
      'Firefox on Linux': AGENTS.linuxFirefox,
      'a television': AGENTS.television,
      'who names no user agent': '',
    },
  ],
];

const LANGUAGES: [header: string, tag: string, title: string][] = [
  ['de', 'de', 'Link nicht gefunden'],
  ['de-AT,en;q=0.8', 'de', 'Link nicht gefunden'],
  ['es', 'es', 'Enlace no encontrado'],
  ['fr-CA,fr;q=0.9', 'fr', 'Lien introuvable'],
  ['pt-BR', 'pt', 'Link não encontrado'],
  ['ja', 'ja', 'リンクが見つかりません'],
  ['xx', 'en', 'Link not found'],
  ['xx,ja;q=0.2', 'ja', 'リンクが見つかりません'],
  ['en-US,de;q=0.9', 'en', 'Link not found'],
  ['*', 'en', 'Link not found'],
];

const table: Topic[] = [
  {
    topic: 'of two things that hold, the redirect decides by',
    rows: [
      [
        'the start, not the visits left',
        link({ startsAt: FUTURE, maxVisits: 1 }),
        { earlier: [browser(1)], userAgent: browser(2) },
        NOT_STARTED,
      ],
      [
        'the start, not an end still to come',
        link({ startsAt: '2198-01-01', expiresAt: FUTURE }),
        {},
        NOT_STARTED,
      ],
      ['the start, not the password', link({ startsAt: FUTURE, password: 'x' }), {}, NOT_STARTED],
      ['the start, not the preview', link({ startsAt: FUTURE }), { path: '/{key}+' }, NOT_STARTED],
      ['the start, not the card', link({ startsAt: FUTURE, ...CARD }), by(FACEBOOK), NOT_STARTED],
      ['the end, not the password', link({ expiresAt: '{soon}', password: 'x' }), {}, EXPIRED],
      ['the end, not the preview', link({ expiresAt: '{soon}' }), { path: '/{key}+' }, EXPIRED],
      ['the end, not the card', link({ expiresAt: '{soon}', ...CARD }), by(FACEBOOK), EXPIRED],
      ['the end, not the page before', link({ expiresAt: '{soon}', ...PAGE }), {}, EXPIRED],
      [
        'the end, not the rules',
        link({ expiresAt: '{soon}', rules: [rule({ os: ['Linux'] })] }),
        {},
        EXPIRED,
      ],
      [
        'the used-up visits, not the preview',
        link({ maxVisits: 1 }),
        { path: '/{key}+', earlier: [browser(1)] },
        EXPIRED,
      ],
      [
        'the used-up visits, not the card',
        link({ maxVisits: 1, ...CARD }),
        { earlier: [browser(1)], ...by(FACEBOOK) },
        EXPIRED,
      ],
      [
        'the used-up visits, not the rules',
        link({ maxVisits: 1, rules: [rule({ os: ['Linux'] })] }),
        { earlier: [browser(1)], userAgent: browser(2) },
        EXPIRED,
      ],
      [
        'the used-up visits, not the device',
        link({ maxVisits: 1, ios: B }),
        { earlier: [browser(1)], ...by(AGENTS.iPhone) },
        EXPIRED,
      ],
      ['the password, not the preview', link({ password: 'x' }), { path: '/{key}+' }, PASSWORD],
      ['the password, not the card', link({ password: 'x', ...CARD }), by(FACEBOOK), PASSWORD],
      ['the password, not the page before', link({ password: 'x', ...PAGE }), {}, PASSWORD],
      [
        'the password, not the device',
        link({ password: 'x', ios: B }),
        by(AGENTS.iPhone),
        PASSWORD,
      ],
      ['the preview, not the card', link(CARD), { path: '/{key}+', ...by(FACEBOOK) }, PREVIEW],
      ['the preview, not the page before', link(PAGE), { path: '/{key}+' }, PREVIEW],
      [
        'the preview, not the device',
        link({ ios: B }),
        { path: '/{key}+', ...by(AGENTS.iPhone) },
        PREVIEW,
      ],
      ['the card, not the page before', link({ ...CARD, ...PAGE }), by(FACEBOOK), card('A card')],
      [
        'the card, not the rules',
        link({ ...CARD, rules: [rule({ device: ['desktop'] })] }),
        by(FACEBOOK),
        card('A card'),
      ],
      [
        'the card, not the frame',
        link({ ...CARD, url: '{site}/free', rewrite: true }),
        by(FACEBOOK),
        card('A card'),
      ],
      [
        'the page before, not the rules',
        link({ ...PAGE, rules: [rule({ os: ['Linux'] })] }),
        {},
        BEFORE,
      ],
      ['the page before, not the device', link({ ...PAGE, ios: B }), by(AGENTS.iPhone), BEFORE],
      [
        'the page before, not the frame',
        link({ ...PAGE, url: '{site}/free', rewrite: true }),
        {},
        BEFORE,
      ],
      [
        'the rules, not iOS',
        link({ rules: [rule({ os: ['iOS'] })], ios: C }),
        by(AGENTS.iPhone),
        to(B),
      ],
      [
        'the rules, not Android',
        link({ rules: [rule({ os: ['Android'] })], android: C }),
        by(AGENTS.androidPhone),
        to(B),
      ],
      [
        'the rules, not the country',
        link({ rules: [rule({ country: ['DE'] })], geo: { DE: C } }),
        GERMANY,
        to(B),
      ],
      [
        'iOS, where the rules do not hold',
        link({ rules: [rule({ os: ['Windows'] })], ios: C }),
        by(AGENTS.iPhone),
        to(C),
      ],
      [
        'iOS, of a phone that says it is both',
        link({ ios: B, android: C }),
        by(AGENTS.windowsPhone),
        to(B),
      ],
      [
        'iOS, not the country',
        link({ ios: B, geo: { DE: C } }),
        { ...GERMANY, ...by(AGENTS.iPhone) },
        to(B),
      ],
      [
        'Android, not the country',
        link({ android: B, geo: { DE: C } }),
        { ...GERMANY, ...by(AGENTS.androidPhone) },
        to(B),
      ],
      [
        'the country, of phones without a target',
        link({ android: B, geo: { DE: C } }),
        { ...GERMANY, ...by(AGENTS.iPhone) },
        to(C),
      ],
      [
        'the country before the frame, which holds what it chose',
        link({ geo: { DE: '{site}/free?geo' }, rewrite: true }),
        GERMANY,
        frame('{site}/free?geo'),
      ],
      [
        'the country before the frame, which its choice forbids',
        link({ url: '{site}/free', geo: { DE: '{site}/deny' }, rewrite: true }),
        GERMANY,
        to('{site}/deny'),
      ],
      [
        'the frame, not the status',
        link({ url: '{site}/free', rewrite: true, redirectStatus: 301 }),
        {},
        frame('{site}/free'),
      ],
    ],
  },
  {
    topic: 'a start or an end',
    rows: [
      [
        'in the future shows when it opens',
        link({ startsAt: FUTURE }),
        {},
        {
          ...page(404, 'Not open yet', 'January 1, 2199'),
          headers: { 'retry-after': '*', 'cache-control': '*no-store' },
        },
      ],
      [
        'in the future tells nothing of the destination',
        link({ startsAt: FUTURE, url: SECRET.url, title: 'Clandestine' }),
        {},
        hiding(NOT_STARTED),
      ],
      [
        'in the future comes in the visitor’s language',
        link({ startsAt: FUTURE }),
        speaking('de'),
        page(404, 'Noch nicht geöffnet'),
      ],
      [
        'in the future ignores where expired links lead',
        link({ startsAt: FUTURE, expiredUrl: OVER }),
        {},
        NOT_STARTED,
      ],
      ['in the past changes nothing', link({ startsAt: PAST }), {}, to(A)],
      ['around now changes nothing', link({ startsAt: PAST, expiresAt: FUTURE }), {}, to(A)],
      ['to come later changes nothing', link({ expiresAt: FUTURE, expiredUrl: OVER }), {}, to(A)],
      [
        'that is over leads to the link’s own address',
        link({ expiresAt: '{soon}', expiredUrl: OVER }),
        {},
        to(OVER),
      ],
      [
        'that is over leads there with 302 whatever the status',
        link({ expiresAt: '{soon}', expiredUrl: OVER, redirectStatus: 301 }),
        {},
        to(OVER),
      ],
      [
        'that is over passes no query on',
        link({ expiresAt: '{soon}', expiredUrl: OVER }),
        { path: '/{key}?x=1' },
        to(OVER),
      ],
      [
        'that is over leads there from the preview too',
        link({ expiresAt: '{soon}', expiredUrl: OVER }),
        { path: '/{key}+' },
        to(OVER),
      ],
      [
        'that is over leads phones there too',
        link({ expiresAt: '{soon}', expiredUrl: OVER, ios: B }),
        by(AGENTS.iPhone),
        to(OVER),
      ],
      [
        'that is over leads into an app',
        link({ expiresAt: '{soon}', expiredUrl: 'myapp://over' }),
        {},
        to('myapp://over'),
      ],
      ['that is over is a page without an address', link({ expiresAt: '{soon}' }), {}, EXPIRED],
      [
        'that is over hides where the link led',
        link({ expiresAt: '{soon}', url: SECRET.url, title: 'Clandestine' }),
        {},
        hiding(EXPIRED),
      ],
      [
        'that is over answers HEAD without a body',
        link({ expiresAt: '{soon}' }),
        HEAD,
        { status: 410 },
      ],
    ],
  },
  {
    topic: 'an expired link of a domain that says where those lead',
    domain: { expiredUrl: 'https://example.com/all-over' },
    rows: [
      ['leads there', link({ expiresAt: '{soon}' }), {}, to('https://example.com/all-over')],
      [
        'leads to its own address if it has one',
        link({ expiresAt: '{soon}', expiredUrl: OVER }),
        {},
        to(OVER),
      ],
      [
        'leads there when its visits are used up',
        link({ maxVisits: 1 }),
        { earlier: [browser(1)], userAgent: browser(2) },
        to('https://example.com/all-over'),
      ],
      [
        'leads there although it has a password',
        link({ expiresAt: '{soon}', password: 'x' }),
        {},
        to('https://example.com/all-over'),
      ],
      [
        'leads there if it is a QR code',
        qrCode({ expiresAt: '{soon}' }),
        {},
        to('https://example.com/all-over'),
      ],
      ['leads on as long as it lasts', link({ expiresAt: FUTURE }), {}, to(A)],
    ],
  },
  {
    topic: 'a limit of visits',
    rows: [
      ['lets the first visitor through', link({ maxVisits: 1 }), {}, to(A)],
      [
        'stops the second of one',
        link({ maxVisits: 1 }),
        { earlier: [browser(1)], userAgent: browser(2) },
        EXPIRED,
      ],
      [
        'stops the third of two',
        link({ maxVisits: 2 }),
        { earlier: [browser(1), browser(2)], userAgent: browser(3) },
        EXPIRED,
      ],
      [
        'counts the same visitor once',
        link({ maxVisits: 2 }),
        { earlier: [browser(1), browser(1), browser(1)], userAgent: browser(2) },
        to(A),
      ],
      [
        'does not count crawlers',
        link({ maxVisits: 1 }),
        { earlier: [FACEBOOK, NO_CRAWLERS['Googlebot']!] },
        to(A),
      ],
      [
        'stops crawlers once it is reached',
        link({ maxVisits: 1 }),
        { earlier: [browser(1)], ...by(FACEBOOK) },
        EXPIRED,
      ],
      [
        'stops HEAD once it is reached',
        link({ maxVisits: 1 }),
        { earlier: [browser(1)], ...HEAD },
        { status: 410 },
      ],
      [
        'leads to the link’s own address once it is reached',
        link({ maxVisits: 1, expiredUrl: OVER }),
        { earlier: [browser(1)], userAgent: browser(2) },
        to(OVER),
      ],
      [
        'does not count who is asked for a password',
        link({ maxVisits: 1, password: 'x' }),
        { earlier: [browser(1), browser(2)] },
        PASSWORD,
      ],
      [
        'does not count who only sees the page before',
        link({ maxVisits: 1, ...PAGE }),
        { earlier: [browser(1), browser(2)] },
        BEFORE,
      ],
      [
        'counts scans of a display page',
        qrCode({ type: 'phone', phone: '+4930123456', maxVisits: 1 }),
        { earlier: [browser(1)], userAgent: browser(2) },
        EXPIRED,
      ],
      [
        'counts frames',
        link({ url: '{site}/free', rewrite: true, maxVisits: 1 }),
        { earlier: [browser(1)], userAgent: browser(2) },
        EXPIRED,
      ],
    ],
  },
  {
    topic: 'a status',
    rows: [
      ['is 302 where none is named', link(), {}, to(A, 302)],
      [
        'is 301 as named',
        link({ redirectStatus: 301 }),
        {},
        to(A, 301, { 'cache-control': 'private, no-store' }),
      ],
      ['is 302 as named', link({ redirectStatus: 302 }), {}, to(A, 302)],
      ['is 307 as named', link({ redirectStatus: 307 }), {}, to(A, 307)],
      ['is 308 as named', link({ redirectStatus: 308 }), {}, to(A, 308)],
      [
        'holds for targeted visitors too',
        link({ redirectStatus: 308, geo: { DE: B } }),
        GERMANY,
        to(B, 308),
      ],
      ['holds for QR codes too', qrCode({ redirectStatus: 307 }), {}, to(A, 307)],
      ['is the same for HEAD', link({ redirectStatus: 301 }), HEAD, to(A, 301)],
    ],
  },
  {
    topic: 'a query',
    rows: [
      ['is passed on', link(), { path: '/{key}?x=1&y=2' }, to(`${A}?x=1&y=2`)],
      [
        'is passed on where the link says so',
        link({ forwardQuery: true }),
        { path: '/{key}?x=1' },
        to(`${A}?x=1`),
      ],
      [
        'is not passed on where the link says not to',
        link({ forwardQuery: false }),
        { path: '/{key}?x=1' },
        to(A),
      ],
      [
        'leaves the destination’s own where it is not passed on',
        link({ url: `${A}?own=1#part`, forwardQuery: false }),
        { path: '/{key}?own=2' },
        to(`${A}?own=1#part`),
      ],
      [
        'wins over the destination’s own',
        link({ url: `${A}?own=1&x=0` }),
        { path: '/{key}?x=1' },
        to(`${A}?own=1&x=1`),
      ],
      [
        'is put before the fragment',
        link({ url: `${A}#part` }),
        { path: '/{key}?x=1' },
        to(`${A}?x=1#part`),
      ],
      [
        'is passed on to targeted destinations',
        link({ geo: { DE: `${B}#part` } }),
        { path: '/{key}?x=1', ...GERMANY },
        to(`${B}?x=1#part`),
      ],
      [
        'is not passed on to them either where the link says not to',
        link({ ios: B, forwardQuery: false }),
        { path: '/{key}?x=1', ...by(AGENTS.iPhone) },
        to(B),
      ],
      [
        'is passed on to stores',
        link({ ios: STORE }),
        { path: '/{key}?ct=mail', ...by(AGENTS.iPhone) },
        to(`${STORE}?ct=mail`),
      ],
      [
        'is not passed on to apps',
        link({ ios: 'myapp://open?x=0' }),
        { path: '/{key}?x=1', ...by(AGENTS.iPhone) },
        to('myapp://open?x=0'),
      ],
      [
        'is passed on to the framed page',
        link({ url: '{site}/free', rewrite: true }),
        { path: '/{key}?x=1' },
        frame('{site}/free?x=1'),
      ],
      [
        'is kept by the preview for the way on',
        link(),
        { path: '/{key}+?x=1' },
        page(200, 'Where this link leads', 'href="/{key}?x=1"'),
      ],
      [
        'is kept by the page before for the way on',
        link(PAGE),
        { path: '/{key}?x=1' },
        page(200, 'Please read this', '/{key}?x=1"'),
      ],
      [
        'is kept by the password page for the way on',
        link({ password: 'x' }),
        { path: '/{key}?x=1' },
        page(403, 'Protected link', 'action="/{key}?x=1"'),
      ],
      ['of a scan is not passed on', link(), { path: '/{key}?qr=1' }, to(A)],
      [
        'of a scan takes only itself away',
        link(),
        { path: '/{key}?a=1&qr=1&b=2' },
        to(`${A}?a=1&b=2`),
      ],
      ['of a scan takes away nothing but 1', link(), { path: '/{key}?qr=2' }, to(`${A}?qr=2`)],
      ['of a scan is not passed on from a QR code', qrCode(), { path: '/{key}?qr=1' }, to(A)],
    ],
  },
  {
    topic: 'an utm parameter of a link',
    rows: [
      ['is in its destination', link({ utm_source: 'mail' }), {}, to(`${A}?utm_source=mail`)],
      [
        'replaces the destination’s own',
        link({ url: `${A}?utm_source=old&x=1`, utm_source: 'mail' }),
        {},
        to(`${A}?x=1&utm_source=mail`),
      ],
      [
        'is put before the fragment',
        link({ url: `${A}#part`, utm_source: 'mail' }),
        {},
        to(`${A}?utm_source=mail#part`),
      ],
      [
        'goes to iOS',
        link({ ios: STORE, utm_source: 'mail', utm_medium: 'news' }),
        by(AGENTS.iPhone),
        to(`${STORE}?utm_source=mail&utm_medium=news`),
      ],
      [
        'goes to Android',
        link({ android: STORE, utm_campaign: 'summer sale' }),
        by(AGENTS.androidPhone),
        to(`${STORE}?utm_campaign=summer%20sale`),
      ],
      [
        'goes to countries',
        link({ geo: { JP: B }, utm_term: 'sushi' }),
        JAPAN,
        to(`${B}?utm_term=sushi`),
      ],
      [
        'goes to rules',
        link({ rules: [rule({ country: ['BR'] })], utm_content: 'top' }),
        BRAZIL,
        to(`${B}?utm_content=top`),
      ],
      [
        'goes before the fragment of a target',
        link({ ios: `${B}#part`, utm_source: 'mail' }),
        by(AGENTS.iPhone),
        to(`${B}?utm_source=mail#part`),
      ],
      [
        'leaves a target its own',
        link({ ios: `${B}?utm_source=store`, utm_source: 'mail', utm_medium: 'news' }),
        by(AGENTS.iPhone),
        to(`${B}?utm_source=store&utm_medium=news`),
      ],
      [
        'leaves a rule its own',
        link({ rules: [rule('DE', `${B}?utm_source=de`)], utm_source: 'mail' }),
        GERMANY,
        to(`${B}?utm_source=de`),
      ],
      [
        'leaves an app’s address alone',
        link({ ios: 'myapp://open', utm_source: 'mail' }),
        by(AGENTS.iPhone),
        to('myapp://open'),
      ],
      [
        'that its destination had goes to targets too',
        link({ url: `${A}?utm_source=own`, geo: { DE: B } }),
        GERMANY,
        to(`${B}?utm_source=own`),
      ],
      [
        'that a QR code’s URL had goes to targets too',
        qrCode({ url: `${A}?utm_source=print`, ios: B }),
        by(AGENTS.iPhone),
        to(`${B}?utm_source=print`),
      ],
      [
        'gives way to the visitor’s',
        link({ ios: B, utm_source: 'mail' }),
        { path: '/{key}?utm_source=me', ...by(AGENTS.iPhone) },
        to(`${B}?utm_source=me`),
      ],
      [
        'stays where the visitor’s query is dropped',
        link({ ios: B, utm_source: 'mail', forwardQuery: false }),
        { path: '/{key}?utm_source=me', ...by(AGENTS.iPhone) },
        to(`${B}?utm_source=mail`),
      ],
      [
        'stays out of where expired links lead',
        link({ expiresAt: '{soon}', expiredUrl: OVER, utm_source: 'mail' }),
        {},
        to(OVER),
      ],
    ],
  },
  {
    topic: 'a link with targets for devices',
    rows: [
      ...DEVICES.flatMap(([name, location, agents]) =>
        Object.entries(agents).map(
          ([device, userAgent]): Row => [
            `leads ${device} to ${name}`,
            link({ ios: B, android: C }),
            by(userAgent),
            to(location),
          ],
        ),
      ),
      [
        'leads Android to the destination where only iOS has a target',
        link({ ios: B }),
        by(AGENTS.androidPhone),
        to(A),
      ],
      [
        'leads iOS to the destination where only Android has a target',
        link({ android: B }),
        by(AGENTS.iPhone),
        to(A),
      ],
      [
        'leads into an app',
        link({ ios: 'myapp://item/7' }),
        by(AGENTS.iPhone),
        to('myapp://item/7'),
      ],
      [
        'leads into the store app',
        link({ ios: 'itms-apps://apps.apple.com/app/id1' }),
        by(AGENTS.iPhone),
        to('itms-apps://apps.apple.com/app/id1'),
      ],
      [
        'leads to Google Play',
        link({ android: 'market://details?id=com.example' }),
        by(AGENTS.androidPhone),
        to('market://details?id=com.example'),
      ],
      [
        'leads to an intent of Android',
        link({ android: 'intent://scan/#Intent;scheme=zxing;end' }),
        by(AGENTS.androidPhone),
        to('intent://scan/#Intent;scheme=zxing;end'),
      ],
      [
        'leads everybody into an app if that is the destination',
        link({ url: 'myapp://open' }),
        {},
        to('myapp://open'),
      ],
    ],
  },
  {
    topic: 'a link with targets for countries',
    rows: [
      ['leads Germany to its own', link({ geo: { DE: B, JP: C } }), GERMANY, to(B)],
      ['leads Japan to its own', link({ geo: { DE: B, JP: C } }), JAPAN, to(C)],
      ['leads Brazil to the destination', link({ geo: { DE: B, JP: C } }), BRAZIL, to(A)],
      ['finds countries of IPv6 addresses', link({ geo: { FR: B } }), FRANCE, to(B)],
      [
        'finds countries of IPv4 addresses written as IPv6',
        link({ geo: { DE: B } }),
        from('::ffff:192.0.2.1'),
        to(B),
      ],
      [
        'leads to the destination from places unknown',
        link({ geo: { DE: B } }),
        from('100.64.0.1'),
        to(A),
      ],
      [
        'leads to the destination from IPv6 places unknown',
        link({ geo: { FR: B } }),
        from('2001:dead::1'),
        to(A),
      ],
      ['leads to the destination where nothing says who asks', link({ geo: { DE: B } }), {}, to(A)],
      [
        'leads to the destination where the address is none',
        link({ geo: { DE: B } }),
        from('nonsense'),
        to(A),
      ],
      [
        'believes only the last hop',
        link({ geo: { DE: B, JP: C } }),
        from('192.0.2.1, 198.51.100.1'),
        to(C),
      ],
      [
        'skips hops that are proxies of ours',
        link({ geo: { DE: B, JP: C } }),
        from('192.0.2.1, 127.0.0.1'),
        to(B),
      ],
      ['reads addresses with ports', link({ geo: { DE: B } }), from('192.0.2.1:4711'), to(B)],
      [
        'reads IPv6 addresses with ports',
        link({ geo: { FR: B } }),
        from('[2001:db8::1]:4711'),
        to(B),
      ],
      ['leads into an app', link({ geo: { DE: 'myapp://de' } }), GERMANY, to('myapp://de')],
    ],
  },
  {
    topic: 'a rule',
    rows: [
      ['holds of its country', ruled({ country: ['DE'] }), GERMANY, to(B)],
      ['holds of one of its countries', ruled({ country: ['JP', 'DE'] }), GERMANY, to(B)],
      ['holds of its countries in one text', ruled({ country: 'jp,de' }), GERMANY, to(B)],
      ['holds of no other country', ruled({ country: ['DE'] }), JAPAN, to(A)],
      ['holds of its country by IPv6', ruled({ country: ['FR'] }), FRANCE, to(B)],
      [
        'of a country does not hold of places unknown',
        ruled({ country: ['DE'] }),
        from('100.64.0.1'),
        to(A),
      ],
      ['holds of its city', ruled({ city: ['Berlin'] }), GERMANY, to(B)],
      ['holds of its city in any case', ruled({ city: ['SÃO PAULO'] }), BRAZIL, to(B)],
      ['holds of no other city', ruled({ city: ['Berlin'] }), JAPAN, to(A)],
      ['holds of mobiles', ruled({ device: ['mobile'] }), by(AGENTS.iPhone), to(B)],
      ['holds of tablets', ruled({ device: ['tablet'] }), by(AGENTS.androidTablet), to(B)],
      ['holds of desktops', ruled({ device: ['desktop'] }), by(AGENTS.windowsEdge), to(B)],
      ['holds of televisions', ruled({ device: ['smarttv'] }), by(AGENTS.television), to(B)],
      [
        'of mobiles does not hold of tablets',
        ruled({ device: ['mobile'] }),
        by(AGENTS.iPad),
        to(A),
      ],
      [
        'of tablets does not hold of desktops',
        ruled({ device: ['tablet'] }),
        by(AGENTS.macChrome),
        to(A),
      ],
      ['holds of iOS', ruled({ os: ['iOS'] }), by(AGENTS.iPad), to(B)],
      ['holds of Android', ruled({ os: ['android'] }), by(AGENTS.androidTablet), to(B)],
      ['holds of Windows', ruled({ os: ['Windows'] }), by(AGENTS.windowsFirefox), to(B)],
      ['holds of macOS', ruled({ os: ['Mac OS'] }), by(AGENTS.macSafari), to(B)],
      ['holds of Linux', ruled({ os: ['Linux'] }), {}, to(B)],
      ['of Windows does not hold of Linux', ruled({ os: ['Windows'] }), {}, to(A)],
      ['holds of Firefox', ruled({ browser: ['firefox'] }), by(AGENTS.linuxFirefox), to(B)],
      ['holds of Edge', ruled({ browser: ['Edge'] }), by(AGENTS.windowsEdge), to(B)],
      [
        'of Chrome does not hold of Edge',
        ruled({ browser: ['Chrome'] }),
        by(AGENTS.windowsEdge),
        to(A),
      ],
      [
        'of Safari does not hold of Chrome',
        ruled({ browser: ['Safari', 'Mobile Safari'] }),
        by(AGENTS.macChrome),
        to(A),
      ],
      ['holds of its language', ruled({ language: ['de'] }), speaking('de'), to(B)],
      [
        'of a language holds of its dialects',
        ruled({ language: ['de'] }),
        speaking('de-AT,en;q=0.8'),
        to(B),
      ],
      [
        'of a dialect does not hold of the language',
        ruled({ language: ['de-AT'] }),
        speaking('de,de-AT;q=0.9'),
        to(A),
      ],
      [
        'of a dialect does not hold of another',
        ruled({ language: ['de-AT'] }),
        speaking('de-CH'),
        to(A),
      ],
      [
        'of a dialect holds of it in any case',
        ruled({ language: ['PT-br'] }),
        speaking('pt-BR'),
        to(B),
      ],
      [
        'of a language does not hold of one that begins alike',
        ruled({ language: ['de'] }),
        speaking('del'),
        to(A),
      ],
      [
        'looks at the favourite language alone',
        ruled({ language: ['de'] }),
        speaking('en,de;q=0.9'),
        to(A),
      ],
      [
        'finds the favourite by its weight',
        ruled({ language: ['de'] }),
        speaking('en;q=0.5,de;q=0.9'),
        to(B),
      ],
      ['of a language does not hold where none is named', ruled({ language: ['de'] }), {}, to(A)],
      [
        'of a language does not hold where any will do',
        ruled({ language: ['de'] }),
        speaking('*'),
        to(A),
      ],
      ['holds of several languages', ruled({ language: 'fr,ja' }), speaking('ja'), to(B)],
    ],
  },
  {
    topic: 'a rule of query or time',
    rows: [
      [
        'holds of its value',
        ruled({ query: { src: ['mail'] } }),
        { path: '/{key}?src=mail' },
        to(`${B}?src=mail`),
      ],
      [
        'holds of its value alone, not in a list',
        ruled({ query: { src: 'mail' } }),
        { path: '/{key}?src=mail' },
        to(`${B}?src=mail`),
      ],
      [
        'holds of one of its values',
        ruled({ query: { src: ['mail', 'ad'] } }),
        { path: '/{key}?src=ad' },
        to(`${B}?src=ad`),
      ],
      [
        'holds of no other value',
        ruled({ query: { src: ['mail'] } }),
        { path: '/{key}?src=ad' },
        to(`${A}?src=ad`),
      ],
      [
        'holds of no value in another case',
        ruled({ query: { src: ['mail'] } }),
        { path: '/{key}?src=Mail' },
        to(`${A}?src=Mail`),
      ],
      ['does not hold without the parameter', ruled({ query: { src: ['mail'] } }), {}, to(A)],
      [
        'holds of any value',
        ruled({ query: { ref: true } }),
        { path: '/{key}?ref=7' },
        to(`${B}?ref=7`),
      ],
      [
        'holds of any value, if an empty one',
        ruled({ query: { ref: true } }),
        { path: '/{key}?ref' },
        to(`${B}?ref`),
      ],
      [
        'of any value does not hold without the parameter',
        ruled({ query: { ref: true } }),
        { path: '/{key}?href=7' },
        to(`${A}?href=7`),
      ],
      [
        'holds of all its parameters',
        ruled({ query: { a: ['1'], b: true } }),
        { path: '/{key}?b=2&a=1' },
        to(`${B}?b=2&a=1`),
      ],
      [
        'does not hold of one of two parameters',
        ruled({ query: { a: ['1'], b: true } }),
        { path: '/{key}?a=1' },
        to(`${A}?a=1`),
      ],
      [
        'reads encoded values',
        ruled({ query: { src: ['café au lait'] } }),
        { path: '/{key}?src=caf%C3%A9+au%20lait' },
        to(`${B}?src=caf%C3%A9+au%20lait`),
      ],
      [
        'reads every value of a parameter',
        ruled({ query: { src: ['mail'] } }),
        { path: '/{key}?src=ad&src=mail' },
        to(`${B}?src=ad&src=mail`),
      ],
      [
        'holds of a query that is not passed on',
        link({ forwardQuery: false, rules: [rule({ query: { src: ['mail'] } })] }),
        { path: '/{key}?src=mail' },
        to(B),
      ],
      ['holds after it began', ruled({ from: PAST }), {}, to(B)],
      ['does not hold before it begins', ruled({ from: FUTURE }), {}, to(A)],
      ['holds until it ends', ruled({ until: FUTURE }), {}, to(B)],
      ['does not hold after it ended', ruled({ until: PAST }), {}, to(A)],
      ['holds between beginning and end', ruled({ from: PAST, until: FUTURE }), {}, to(B)],
      [
        'holds within its hours, in UTC where no zone is named',
        ruled({ time: { from: utcClock(-2), to: utcClock(2) } }),
        {},
        to(B),
      ],
      [
        'does not hold outside its hours',
        ruled({ time: { from: utcClock(2), to: utcClock(4) } }),
        {},
        to(A),
      ],
      [
        'holds within its hours in its zone',
        ruled({ time: { from: '09:00', to: '17:00', timezone: NOON.timezone } }),
        {},
        to(B),
      ],
      [
        'does not hold outside its hours in its zone',
        ruled({ time: { from: '14:00', to: '17:00', timezone: NOON.timezone } }),
        {},
        to(A),
      ],
      [
        'holds on its day',
        ruled({
          time: { from: '09:00', to: '17:00', days: [NOON.today], timezone: NOON.timezone },
        }),
        {},
        to(B),
      ],
      [
        'does not hold on other days',
        ruled({
          time: {
            from: '09:00',
            to: '17:00',
            days: [NOON.yesterday, NOON.tomorrow],
            timezone: NOON.timezone,
          },
        }),
        {},
        to(A),
      ],
      [
        'across midnight holds in the evening',
        ruled({ time: { from: '20:00', to: '03:00', timezone: LATE.timezone } }),
        {},
        to(B),
      ],
      [
        'across midnight holds in the night',
        ruled({ time: { from: '20:00', to: '03:00', timezone: NIGHT.timezone } }),
        {},
        to(B),
      ],
      [
        'across midnight does not hold at noon',
        ruled({ time: { from: '20:00', to: '03:00', timezone: NOON.timezone } }),
        {},
        to(A),
      ],
      [
        'across midnight holds in the evening of its day',
        ruled({
          time: { from: '20:00', to: '03:00', days: [LATE.today], timezone: LATE.timezone },
        }),
        {},
        to(B),
      ],
      [
        'across midnight does not hold in the evening before its day',
        ruled({
          time: { from: '20:00', to: '03:00', days: [LATE.tomorrow], timezone: LATE.timezone },
        }),
        {},
        to(A),
      ],
      [
        'across midnight holds in the night after its day',
        ruled({
          time: { from: '20:00', to: '03:00', days: [NIGHT.yesterday], timezone: NIGHT.timezone },
        }),
        {},
        to(B),
      ],
      [
        'across midnight does not hold in the night before its evening',
        ruled({
          time: { from: '20:00', to: '03:00', days: [NIGHT.today], timezone: NIGHT.timezone },
        }),
        {},
        to(A),
      ],
      [
        'from a time to the same time holds all day',
        ruled({ time: { from: '12:00', to: '12:00', timezone: LATE.timezone } }),
        {},
        to(B),
      ],
    ],
  },
  {
    topic: 'rules together',
    rows: [
      [
        'conditions that all hold lead on',
        ruled({ country: ['DE'], os: ['iOS'], language: ['de'] }),
        { userAgent: AGENTS.iPhone, headers: { ...GERMANY.headers, 'accept-language': 'de' } },
        to(B),
      ],
      [
        'conditions of which one does not hold do nothing',
        ruled({ country: ['DE'], os: ['iOS'] }),
        GERMANY,
        to(A),
      ],
      [
        'conditions of which the time does not hold do nothing',
        ruled({ country: ['DE'], until: PAST }),
        GERMANY,
        to(A),
      ],
      [
        'conditions of which the query does not hold do nothing',
        ruled({ country: ['DE'], query: { x: true } }),
        GERMANY,
        to(A),
      ],
      [
        'the first that holds wins',
        link({ rules: [rule({ country: ['DE'] }, B), rule({ os: ['Linux'] }, C)] }),
        GERMANY,
        to(B),
      ],
      [
        'in another order another wins',
        link({ rules: [rule({ os: ['Linux'] }, C), rule({ country: ['DE'] }, B)] }),
        GERMANY,
        to(C),
      ],
      [
        'those that do not hold are passed over',
        link({ rules: [rule({ country: ['JP'] }, B), rule({ os: ['Linux'] }, C)] }),
        GERMANY,
        to(C),
      ],
      [
        'without one that holds the country decides',
        link({ rules: [rule({ os: ['iOS'] })], geo: { DE: C } }),
        GERMANY,
        to(C),
      ],
      ['none at all is as without', link({ rules: [] }), {}, to(A)],
      ['a text holds of the country', ruled('DE'), GERMANY, to(B)],
      ['a text holds of the country in any case', ruled(' de '), GERMANY, to(B)],
      [
        'a text of two letters holds of the language too',
        ruled('de'),
        { headers: { ...JAPAN.headers, 'accept-language': 'de-AT' } },
        to(B),
      ],
      ['a text holds of the dialect', ruled('pt-BR'), speaking('pt-BR'), to(B)],
      ['a text of a dialect does not hold of the language', ruled('pt-BR'), speaking('pt'), to(A)],
      ['a text holds of the system', ruled('ios'), by(AGENTS.iPhone), to(B)],
      ['a text of another system does nothing', ruled('android'), by(AGENTS.iPhone), to(A)],
      ['a text holds of the city', ruled('Berlin'), GERMANY, to(B)],
      ['a text holds of the browser', ruled('Chrome'), {}, to(B)],
      ['a text holds of the device', ruled('tablet'), by(AGENTS.iPad), to(B)],
      ['a text that is only part of a trait does nothing', ruled('Berl'), GERMANY, to(A)],
      [
        'a rule leads into an app',
        link({ rules: [rule('ios', 'myapp://open')] }),
        by(AGENTS.iPhone),
        to('myapp://open'),
      ],
      [
        'a rule leads with its fragment',
        link({ rules: [rule('DE', `${B}#part`)] }),
        { path: '/{key}?x=1', ...GERMANY },
        to(`${B}?x=1#part`),
      ],
    ],
  },
  {
    topic: 'a card',
    rows: [
      ...Object.entries(CRAWLERS).map(
        ([name, userAgent]): Row => [
          `is shown to ${name}`,
          link(CARD),
          by(userAgent),
          card('A card'),
        ],
      ),
      ...Object.entries(NO_CRAWLERS).map(
        ([name, userAgent]): Row => [`is not shown to ${name}`, link(CARD), by(userAgent), to(A)],
      ),
      [
        'shows description and picture',
        link({ proxy: true, description: 'Words', image: 'https://example.com/i.png' }),
        by(FACEBOOK),
        {
          status: 200,
          shows: [
            '<meta property="og:description" content="Words">',
            '<meta property="og:image" content="https://example.com/i.png">',
          ],
        },
      ],
      [
        'shows a video',
        link({ proxy: true, video: 'https://example.com/v.mp4' }),
        by(FACEBOOK),
        { status: 200, shows: ['<meta property="og:video" content="https://example.com/v.mp4">'] },
      ],
      [
        'escapes what its owner wrote',
        link({ proxy: true, title: '<script>"&' }),
        by(FACEBOOK),
        { status: 200, shows: ['content="&lt;script&gt;&quot;&amp;"'], hides: ['<script>"'] },
      ],
      ['without a field of its own is none', link({ proxy: true }), by(FACEBOOK), to(A)],
      ['is none without proxy', link({ title: 'A card' }), by(FACEBOOK), to(A)],
      ['is shown for a QR code', qrCode(CARD), by(FACEBOOK), card('A card')],
      [
        'is shown for HEAD without its body',
        link(CARD),
        { ...HEAD, ...by(FACEBOOK) },
        { status: 200, headers: { location: null } },
      ],
      [
        'is shown whatever the country leads to',
        link({ ...CARD, geo: { DE: B } }),
        { ...GERMANY, ...by(FACEBOOK) },
        card('A card'),
      ],
    ],
  },
  {
    topic: 'HEAD',
    rows: [
      ['gets the redirect', link(), HEAD, to(A)],
      ['gets the targeted redirect', link({ ios: B }), { ...HEAD, ...by(AGENTS.iPhone) }, to(B)],
      ['gets 404 where nothing is', NOTHING, HEAD, { status: 404 }],
      ['gets 403 of a password', link({ password: 'x' }), HEAD, { status: 403 }],
      ['gets the preview', link(), { ...HEAD, path: '/{key}+' }, { status: 200 }],
      ['gets the page before', link(PAGE), HEAD, { status: 200 }],
      ['gets the frame', link({ url: '{site}/free', rewrite: true }), HEAD, { status: 200 }],
    ],
  },
  {
    topic: 'search engines',
    rows: [
      ['are told not to index a link', link(), {}, to(A, 302, { 'x-robots-tag': 'noindex' })],
      [
        'may index a link whose owner lets them',
        link({ doIndex: true }),
        {},
        to(A, 302, { 'x-robots-tag': null }),
      ],
      [
        'may index where it leads some',
        link({ doIndex: true, geo: { DE: B } }),
        GERMANY,
        to(B, 302, { 'x-robots-tag': null }),
      ],
      [
        'are told not to index a card',
        link(CARD),
        by(FACEBOOK),
        {
          status: 200,
          headers: { 'x-robots-tag': 'noindex' },
          shows: ['<meta name="robots" content="noindex">'],
        },
      ],
      [
        'may index a card whose owner lets them',
        link({ ...CARD, doIndex: true }),
        by(FACEBOOK),
        { status: 200, headers: { 'x-robots-tag': null }, hides: ['noindex'] },
      ],
      [
        'are told not to index a frame',
        link({ url: '{site}/free', rewrite: true }),
        {},
        { ...frame('{site}/free'), headers: { 'x-robots-tag': 'noindex' } },
      ],
      [
        'may index a frame whose owner lets them',
        link({ url: '{site}/free', rewrite: true, doIndex: true }),
        {},
        { ...frame('{site}/free'), headers: { 'x-robots-tag': null }, hides: ['noindex'] },
      ],
      [
        'may index a display page whose owner lets them',
        qrCode({ type: 'phone', phone: '+4930123456', doIndex: true }),
        {},
        { ...page(200, 'Call'), headers: { 'x-robots-tag': null }, hides: ['noindex'] },
      ],
      [
        'are told not to index a password page, whatever its owner lets them',
        link({ doIndex: true, password: 'x' }),
        {},
        { ...PASSWORD, headers: { 'x-robots-tag': 'noindex' } },
      ],
      [
        'are told not to index what is not there',
        NOTHING,
        {},
        { ...NOT_FOUND, headers: { 'x-robots-tag': 'noindex' } },
      ],
    ],
  },
  {
    topic: 'an archived record',
    rows: [
      ['leads on', link({ archived: true }), {}, to(A)],
      ['leads devices on', link({ archived: true, ios: B }), by(AGENTS.iPhone), to(B)],
      ['asks for its password', link({ archived: true, password: 'x' }), {}, PASSWORD],
      ['shows its preview', link({ archived: true }), { path: '/{key}+' }, PREVIEW],
      ['expires', link({ archived: true, expiresAt: '{soon}' }), {}, EXPIRED],
      ['leads on if it is a QR code', qrCode({ archived: true }), {}, to(A)],
    ],
  },
  {
    topic: 'a domain',
    rows: [
      ['leads from its root to its target', domain({ target: B }), {}, to(B)],
      [
        'passes the query of its root on',
        domain({ target: `${B}?a=1#part` }),
        { path: '/?x=1' },
        to(`${B}?a=1&x=1#part`),
      ],
      ['leads from its root by 302 for HEAD', domain({ target: B }), HEAD, to(B)],
      [
        'shows its target in a frame',
        domain({ target: '{site}/free', type: 'rewrite' }),
        {},
        frame('{site}/free'),
      ],
      [
        'shows its target in a frame with the query',
        domain({ target: '{site}/free', type: 'rewrite' }),
        { path: '/?x=1' },
        frame('{site}/free?x=1'),
      ],
      [
        'redirects to a target that forbids frames',
        domain({ target: '{site}/deny', type: 'rewrite' }),
        {},
        to('{site}/deny'),
      ],
      [
        'redirects to a target whose policy forbids frames',
        domain({ target: '{site}/none', type: 'rewrite' }),
        {},
        to('{site}/none'),
      ],
      [
        'redirects over https to a target over http',
        domain({ target: '{site}/free', type: 'rewrite' }),
        HTTPS,
        to('{site}/free'),
      ],
      [
        'redirects to an app',
        domain({ target: 'myapp://home', type: 'rewrite' }),
        {},
        to('myapp://home'),
      ],
      [
        'does not frame where it is to redirect',
        domain({ target: '{site}/free', type: 'redirect' }),
        {},
        to('{site}/free'),
      ],
      ['without a target has nothing at its root', domain(), {}, NOT_FOUND],
      [
        'without a target has nothing at its root, wherever keys lead that nothing has',
        domain({ notFoundUrl: B }),
        {},
        NOT_FOUND,
      ],
      ['leads from keys that nothing has', domain({ notFoundUrl: B }), { path: '/nothing' }, to(B)],
      [
        'leads nowhere from keys that nothing has, wherever its root leads',
        domain({ target: B }),
        { path: '/nothing' },
        NOT_FOUND,
      ],
      ['is nothing until it is verified', unverified({ target: B }), {}, NOT_FOUND],
      [
        'has no keys until it is verified',
        unverified({ notFoundUrl: B }),
        { path: '/nothing' },
        NOT_FOUND,
      ],
      ['that is archived leads on', domain({ target: B, archived: true }), {}, to(B)],
      ['that nobody has is nothing', NOTHING, { host: 'nobody.example', path: '/' }, NOT_FOUND],
      ['that nobody has has no keys', NOTHING, { host: 'nobody.example' }, NOT_FOUND],
    ],
  },
  {
    topic: 'a domain that says where keys lead that nothing has',
    domain: { notFoundUrl: 'https://example.com/lost?from=short' },
    rows: [
      ['leads there', NOTHING, {}, to('https://example.com/lost?from=short')],
      [
        'passes no query on',
        NOTHING,
        { path: '/{key}?x=1' },
        to('https://example.com/lost?from=short'),
      ],
      [
        'leads there from previews',
        NOTHING,
        { path: '/{key}+' },
        to('https://example.com/lost?from=short'),
      ],
      ['leads there for HEAD', NOTHING, HEAD, to('https://example.com/lost?from=short')],
      ['leads crawlers there', NOTHING, by(FACEBOOK), to('https://example.com/lost?from=short')],
      ['does not lead there from files', NOTHING, { path: '/_/file/{key}' }, NOT_FOUND],
      ['does not lead there from statistics', NOTHING, { path: '/_/stats/{key}' }, NOT_FOUND],
      ['does not lead there from its links', link(), {}, to(A)],
      ['does not lead there from expired links', link({ expiresAt: '{soon}' }), {}, EXPIRED],
      ['does not lead there before links start', link({ startsAt: FUTURE }), {}, NOT_STARTED],
    ],
  },
  {
    topic: 'a QR code',
    rows: [
      ['leads to its URL', qrCode(), {}, to(A)],
      ['leads iPhones to their own', qrCode({ ios: B, android: C }), by(AGENTS.iPhone), to(B)],
      ['leads Android to its own', qrCode({ ios: B, android: C }), by(AGENTS.androidPhone), to(C)],
      ['leads countries to their own', qrCode({ geo: { BR: B } }), BRAZIL, to(B)],
      ['leads by rules', qrCode({ rules: [rule({ city: ['Tokyo'] })] }), JAPAN, to(B)],
      ['expires', qrCode({ expiresAt: '{soon}' }), {}, EXPIRED],
      [
        'expires to its own address',
        qrCode({ expiresAt: '{soon}', expiredUrl: OVER }),
        {},
        to(OVER),
      ],
      ['starts', qrCode({ startsAt: FUTURE }), {}, NOT_STARTED],
      ['asks for its password', qrCode({ password: 'x' }), { path: '/{key}?qr=1' }, PASSWORD],
      ['shows its preview', qrCode(), { path: '/{key}+' }, page(200, 'Where this link leads', A)],
      ['shows a page before', qrCode(PAGE), {}, BEFORE],
      [
        'shows its URL in a frame',
        qrCode({ url: '{site}/free', rewrite: true }),
        {},
        frame('{site}/free'),
      ],
      ['of a network shows it', qrCode(WIFI), {}, page(200, 'Guests', 'correct horse')],
      [
        'of a network shows it in the visitor’s language',
        qrCode(WIFI),
        speaking('de'),
        { ...page(200, 'Guests'), shows: ['<html lang="de">', 'Netzwerk'] },
      ],
      [
        'of a network leads where the country says',
        qrCode({ ...WIFI, geo: { DE: B } }),
        GERMANY,
        to(B),
      ],
      [
        'of a network shows it to other countries',
        qrCode({ ...WIFI, geo: { DE: B } }),
        JAPAN,
        page(200, 'Guests'),
      ],
      [
        'of a network leads where the device says',
        qrCode({ ...WIFI, ios: B }),
        by(AGENTS.iPhone),
        to(B),
      ],
      [
        'of a network leads where a rule says',
        qrCode({ ...WIFI, rules: [rule('JP')] }),
        JAPAN,
        to(B),
      ],
      [
        'of a network says in its preview that it shows a page',
        qrCode(WIFI),
        { path: '/{key}+' },
        {
          ...page(200, 'Where this link leads', 'This link shows a page.'),
          hides: ['correct horse'],
        },
      ],
      [
        'of a network asks for its password',
        qrCode({ ...WIFI, password: 'x' }),
        {},
        { ...PASSWORD, hides: ['guests', 'correct horse'] },
      ],
      ['of a network is no frame', qrCode({ ...WIFI, rewrite: true }), {}, page(200, 'Guests')],
      [
        'of a network shows its card to crawlers',
        qrCode({ ...WIFI, ...CARD }),
        by(FACEBOOK),
        card('A card'),
      ],
      [
        'of a phone shows a page',
        qrCode({ type: 'phone', phone: '+4930123456' }),
        {},
        page(200, 'Call', 'href="tel:+4930123456"'),
      ],
      [
        'of a phone shows a page where that is wanted',
        qrCode({ type: 'phone', phone: '+4930123456', useDisplayPage: true }),
        {},
        page(200, 'Call'),
      ],
      [
        'of a phone opens the app where that is wanted',
        qrCode({ type: 'phone', phone: '+4930123456', useDisplayPage: false }),
        { path: '/{key}?qr=1' },
        to('tel:+4930123456'),
      ],
      [
        'of a contact has a file',
        qrCode(CONTACT),
        { path: '/_/file/{key}' },
        {
          status: 200,
          headers: { 'content-type': 'text/vcard; charset=utf-8' },
          shows: ['BEGIN:VCARD'],
        },
      ],
      [
        'of a contact has no file once it has expired',
        qrCode({ ...CONTACT, expiresAt: '{soon}' }),
        { path: '/_/file/{key}' },
        { ...NOT_FOUND, hides: ['vcard'] },
      ],
      [
        'of a contact gives no file without its password',
        qrCode({ ...CONTACT, password: 'x' }),
        { path: '/_/file/{key}' },
        { ...PASSWORD, hides: ['vcard', 'lovelace'] },
      ],
      ['of a URL has no file', qrCode(), { path: '/_/file/{key}' }, NOT_FOUND],
    ],
  },
  {
    topic: 'a link that is to be framed',
    rows: [
      [
        'is, where the site says nothing',
        framed('/free'),
        {},
        {
          ...frame('{site}/free'),
          headers: { 'content-security-policy': '*frame-src http: https:*' },
        },
      ],
      ['is, where the site lets everybody', framed('/everybody'), {}, frame('{site}/everybody')],
      [
        'is, where a policy for everybody overrules X-Frame-Options',
        framed('/overruled'),
        {},
        frame('{site}/overruled'),
      ],
      [
        'is named by its title',
        link({ url: '{site}/free', rewrite: true, title: 'Window' }),
        {},
        { ...frame('{site}/free'), shows: ['<title>Window</title>'] },
      ],
      [
        'is, with the title of its address',
        framed('/free'),
        {},
        { ...frame('{site}/free'), shows: ['<title>{host}/{key}</title>'] },
      ],
      [
        'redirects where the site sends X-Frame-Options: DENY',
        framed('/deny'),
        {},
        to('{site}/deny'),
      ],
      [
        'redirects where the site sends X-Frame-Options: SAMEORIGIN',
        framed('/same-origin'),
        {},
        to('{site}/same-origin'),
      ],
      ['redirects where a policy lets nobody', framed('/none'), {}, to('{site}/none')],
      [
        'redirects where a policy lets only the site itself',
        framed('/self'),
        {},
        to('{site}/self'),
      ],
      [
        'redirects where one of two policies lets nobody',
        framed('/two-policies'),
        {},
        to('{site}/two-policies'),
      ],
      [
        'redirects where the site leads to a page that forbids it',
        framed('/moved'),
        {},
        to('{site}/moved'),
      ],
      ['redirects where the page is missing', framed('/missing'), {}, to('{site}/missing')],
      [
        'redirects into an app',
        link({ url: 'myapp://open', rewrite: true }),
        {},
        to('myapp://open'),
      ],
      [
        'redirects where it is not to be framed',
        link({ url: '{site}/free' }),
        {},
        to('{site}/free'),
      ],
      [
        'redirects with its status where it can’t be framed',
        link({ url: '{site}/deny', rewrite: true, redirectStatus: 307 }),
        {},
        to('{site}/deny', 307),
      ],
      [
        'redirects over https where the page is plain http',
        framed('/free'),
        HTTPS,
        to('{site}/free'),
      ],
      [
        'redirects over https behind two proxies',
        framed('/free'),
        { headers: { 'x-forwarded-proto': 'http, https' } },
        to('{site}/free'),
      ],
      [
        'frames the target of a device',
        link({ ios: '{site}/free?ios', rewrite: true }),
        by(AGENTS.iPhone),
        frame('{site}/free?ios'),
      ],
      [
        'frames the target of a rule',
        link({ rules: [rule('DE', '{site}/free?rule')], rewrite: true }),
        GERMANY,
        frame('{site}/free?rule'),
      ],
      [
        'frames a target with the utm parameters of the link',
        link({ ios: '{site}/free', utm_source: 'mail', rewrite: true }),
        by(AGENTS.iPhone),
        frame('{site}/free?utm_source=mail'),
      ],
      [
        'redirects to a target that forbids it',
        link({ url: '{site}/free', android: '{site}/deny', rewrite: true }),
        by(AGENTS.androidPhone),
        to('{site}/deny'),
      ],
      [
        'redirects to a target that is an app',
        link({ url: '{site}/free', android: 'myapp://open', rewrite: true }),
        by(AGENTS.androidPhone),
        to('myapp://open'),
      ],
    ],
  },
  {
    topic: 'a page before the destination',
    rows: [
      [
        'is shown with a way on',
        link(PAGE),
        {},
        page(200, 'Please read this', 'href="/_/continue/', '/{key}"'),
      ],
      ['does not tell where it leads', link({ ...PAGE, url: SECRET.url }), {}, hiding(BEFORE)],
      [
        'with questions has a form and may be skipped',
        link({ preRedirection: true, pageId: '{questions}' }),
        {},
        { ...FORM, shows: ['<form', 'Skip'] },
      ],
      [
        'with questions may not be skipped where it is mandatory',
        link({ preRedirection: true, pageId: '{questions}', isFormMandatory: true }),
        {},
        { ...FORM, shows: ['<form'], hides: ['skip'] },
      ],
      [
        'without questions is only read, although a form is mandatory',
        link({ ...PAGE, isFormMandatory: true }),
        {},
        BEFORE,
      ],
      ['is not shown where it is only named', link({ pageId: '{page}' }), {}, to(A)],
      [
        'is not shown where it is switched off',
        link({ pageId: '{page}', preRedirection: false }),
        {},
        to(A),
      ],
      ['is not shown where none is named', link({ preRedirection: true }), {}, to(A)],
      [
        'of the owner’s own is told the way on',
        link(OWN_PAGE),
        {},
        to('https://example.com/own?continue=http%3A%2F%2F{host}%2F_%2Fcontinue%2F*%2F{key}'),
      ],
      [
        'of the owner’s own keeps its query',
        link({ ...OWN_PAGE, pageUrl: 'https://example.com/own?x=1#top' }),
        {},
        to('https://example.com/own?x=1&continue=http*{key}#top'),
      ],
      [
        'of the owner’s own is told the way on over https',
        link(OWN_PAGE),
        HTTPS,
        to('https://example.com/own?continue=https%3A%2F%2F{host}%2F*'),
      ],
      [
        'of the owner’s own is told the way on with the query',
        link(OWN_PAGE),
        { path: '/{key}?x=1' },
        to('https://example.com/own?continue=*{key}%3Fx%3D1'),
      ],
      [
        'of the owner’s own comes with 302 whatever the status',
        link({ ...OWN_PAGE, redirectStatus: 308 }),
        {},
        to('https://example.com/own?continue=*', 302),
      ],
      [
        'of the owner’s own is not shown where it is only named',
        link({ pageUrl: OWN_PAGE.pageUrl }),
        {},
        to(A),
      ],
      ['of ours comes before the owner’s own', link({ ...OWN_PAGE, pageId: '{page}' }), {}, BEFORE],
      [
        'is announced by the preview',
        link(PAGE),
        { path: '/{key}+' },
        page(200, 'Where this link leads', 'A page is shown before the destination.'),
      ],
      [
        'is shown again to who comes with a way on that is none',
        link(PAGE),
        { path: '/_/continue/forged/{key}' },
        to('/{key}', 303),
      ],
      [
        'of the owner’s own is shown again to who comes with a way on that is none',
        link(OWN_PAGE),
        { path: '/_/continue/forged/{key}?x=1' },
        to('/{key}?x=1', 303),
      ],
      [
        'is not shown to crawlers that get a card',
        link({ ...OWN_PAGE, ...CARD }),
        by(FACEBOOK),
        card('A card'),
      ],
    ],
  },
  {
    topic: 'a link with a password',
    rows: [
      ['tells visitors nothing', link(SECRET), {}, hiding(PASSWORD)],
      ['tells iPhones nothing', link(SECRET), by(AGENTS.iPhone), hiding(PASSWORD)],
      ['tells visitors of a country nothing', link(SECRET), GERMANY, hiding(PASSWORD)],
      ['tells crawlers nothing', link(SECRET), by(FACEBOOK), hiding(PASSWORD)],
      [
        'tells search engines nothing',
        link({ ...SECRET, doIndex: true }),
        by(NO_CRAWLERS['Googlebot']!),
        hiding(PASSWORD),
      ],
      ['tells nothing in its preview', link(SECRET), { path: '/{key}+' }, hiding(PASSWORD)],
      [
        'tells crawlers nothing in its preview',
        link(SECRET),
        { path: '/{key}+', ...by(FACEBOOK) },
        hiding(PASSWORD),
      ],
      ['tells nothing in its file', link(SECRET), { path: '/_/file/{key}' }, hiding(PASSWORD)],
      [
        'tells nothing in its statistics',
        link(SECRET),
        { path: '/_/stats/{key}' },
        hiding(NOT_FOUND),
      ],
      [
        'tells nothing on the way to its public statistics',
        link({ ...SECRET, publicStats: true }),
        { path: '/_/stats/{key}' },
        hiding(to('*/stats/{host}/{key}')),
      ],
      [
        'tells nothing on a forged way on',
        link({ ...SECRET, preRedirection: true, pageId: '{page}' }),
        { path: '/_/continue/forged/{key}' },
        hiding({ status: 303 }),
      ],
      [
        'tells nothing with a forged cookie',
        link(SECRET),
        { headers: { cookie: 'unlock_{key}=zzzzzzzz.forged' } },
        hiding(PASSWORD),
      ],
      [
        'tells nothing with the password in the query',
        link(SECRET),
        { path: '/{key}?password=open%20sesame' },
        hiding(PASSWORD),
      ],
      ['tells nothing to HEAD', link(SECRET), HEAD, hiding({ status: 403 })],
      [
        'tells nothing of a framed page',
        link({ ...SECRET, url: '{site}/free?clandestine', rewrite: true }),
        {},
        hiding(PASSWORD),
      ],
      [
        'asks in the visitor’s language',
        link(SECRET),
        speaking('de'),
        page(403, 'Geschützter Link'),
      ],
      [
        'may not be kept by anybody',
        link(SECRET),
        {},
        { ...PASSWORD, headers: { 'cache-control': 'private, no-store' } },
      ],
    ],
  },
  {
    topic: 'the id of a click',
    rows: [
      [
        'is handed on, and kept by the browser',
        link(TRACKED),
        {},
        to(`${A}?click_id=*`, 302, { 'set-cookie': 'click_id=*' }),
      ],
      [
        'is kept over https alone where that is how the visitor came',
        link(TRACKED),
        HTTPS,
        to(`${A}?click_id=*`, 302, { 'set-cookie': 'click_id=*; *Secure*' }),
      ],
      [
        'is put before the fragment',
        link({ ...TRACKED, url: `${A}?x=1#part` }),
        {},
        to(`${A}?x=1&click_id=*#part`),
      ],
      [
        'replaces one that is there',
        link({ ...TRACKED, url: `${A}?click_id=old` }),
        {},
        { ...to(`${A}?click_id=*`), hides: ['old'] },
      ],
      [
        'replaces one that the visitor sends',
        link(TRACKED),
        { path: '/{key}?click_id=mine' },
        { ...to(`${A}?click_id=*`), hides: ['mine'] },
      ],
      [
        'is handed on where no query is',
        link({ ...TRACKED, forwardQuery: false }),
        { path: '/{key}?x=1' },
        to(`${A}?click_id=*`),
      ],
      [
        'is handed on to targets',
        link({ ...TRACKED, ios: B }),
        by(AGENTS.iPhone),
        to(`${B}?click_id=*`),
      ],
      [
        'is kept by the browser alone where an app opens',
        link({ ...TRACKED, url: 'myapp://open' }),
        {},
        to('myapp://open', 302, { 'set-cookie': 'click_id=*' }),
      ],
      [
        'is handed on to framed pages',
        link({ ...TRACKED, url: '{site}/free', rewrite: true }),
        {},
        {
          status: 200,
          headers: { 'set-cookie': 'click_id=*' },
          shows: ['<iframe src="{site}/free?click_id='],
        },
      ],
      ['is handed on by QR codes', qrCode(TRACKED), { path: '/{key}?qr=1' }, to(`${A}?click_id=*`)],
      ['is none without trackConversion', link(), {}, to(A, 302, NO_CLICK)],
      ['is none of bots', link(TRACKED), by(NO_CRAWLERS['Googlebot']!), to(A, 302, NO_CLICK)],
      ['is none of crawlers', link(TRACKED), by(FACEBOOK), to(A, 302, NO_CLICK)],
      [
        'is none of crawlers that get a card',
        link({ ...TRACKED, ...CARD }),
        by(FACEBOOK),
        { ...card('A card'), headers: NO_CLICK },
      ],
      ['is none where no user agent is named', link(TRACKED), by(''), to(A, 302, NO_CLICK)],
      [
        'is none of prefetches',
        link(TRACKED),
        { headers: { 'sec-purpose': 'prefetch;prerender' } },
        to(A, 302, NO_CLICK),
      ],
      ['is none of HEAD', link(TRACKED), HEAD, to(A, 302, NO_CLICK)],
      [
        'is none of who sends DNT: 1',
        link(TRACKED),
        { headers: { dnt: '1' } },
        to(A, 302, NO_CLICK),
      ],
      [
        'is none of who sends Sec-GPC: 1',
        link(TRACKED),
        { headers: { 'sec-gpc': '1' } },
        to(A, 302, NO_CLICK),
      ],
      [
        'is one of who sends DNT: 0',
        link(TRACKED),
        { headers: { dnt: '0' } },
        to(`${A}?click_id=*`),
      ],
      [
        'is none before the password',
        link({ ...TRACKED, password: 'x' }),
        {},
        { ...PASSWORD, headers: NO_CLICK },
      ],
      [
        'is none of the preview',
        link(TRACKED),
        { path: '/{key}+' },
        { ...PREVIEW, headers: NO_CLICK },
      ],
      [
        'is none of the page before',
        link({ ...TRACKED, ...PAGE }),
        {},
        { ...BEFORE, headers: NO_CLICK },
      ],
      [
        'is none before the start',
        link({ ...TRACKED, startsAt: FUTURE }),
        {},
        { ...NOT_STARTED, headers: NO_CLICK },
      ],
      [
        'is none of an expired link',
        link({ ...TRACKED, expiresAt: '{soon}' }),
        {},
        { ...EXPIRED, headers: NO_CLICK },
      ],
      [
        'is none where an expired link leads, which is nobody’s visit',
        link({ ...TRACKED, expiresAt: '{soon}', expiredUrl: OVER }),
        {},
        to(OVER, 302, NO_CLICK),
      ],
      [
        'is none where a used-up link leads, which is nobody’s visit',
        link({ ...TRACKED, maxVisits: 1, expiredUrl: OVER }),
        { earlier: [browser(1)], userAgent: browser(2) },
        to(OVER, 302, NO_CLICK),
      ],
      [
        'is none of who asks for statistics',
        link({ ...TRACKED, publicStats: true }),
        { path: '/_/stats/{key}' },
        to('*/stats/{host}/{key}', 302, NO_CLICK),
      ],
    ],
  },
  {
    topic: 'statistics',
    rows: [
      [
        'that are public are at the API',
        link({ publicStats: true }),
        { path: '/_/stats/{key}' },
        to('http*/stats/{host}/{key}'),
      ],
      [
        'that are public are at the API for QR codes too',
        qrCode({ publicStats: true }),
        { path: '/_/stats/{key}' },
        to('http*/stats/{host}/{key}'),
      ],
      [
        'that are public are at the API, whatever the status',
        link({ publicStats: true, redirectStatus: 301 }),
        { path: '/_/stats/{key}' },
        to('http*/stats/{host}/{key}'),
      ],
      [
        'that are public are at the API, after the end',
        link({ publicStats: true, expiresAt: '{soon}' }),
        { path: '/_/stats/{key}' },
        to('http*/stats/{host}/{key}'),
      ],
      [
        'that are public do not change where the link leads',
        link({ publicStats: true }),
        {},
        to(A),
      ],
      ['that are not public are not there', link(), { path: '/_/stats/{key}' }, NOT_FOUND],
      [
        'that are switched off are not there',
        link({ publicStats: false }),
        { path: '/_/stats/{key}' },
        NOT_FOUND,
      ],
      ['of what is not there are not there', NOTHING, { path: '/_/stats/{key}' }, NOT_FOUND],
      ['of nothing in particular are not there', NOTHING, { path: '/_/stats/' }, NOT_FOUND],
    ],
  },
  {
    topic: 'what is not there is told',
    rows: [
      ...LANGUAGES.map(
        ([header, tag, title]): Row => [
          `in "${tag}" to who asks for "${header}"`,
          NOTHING,
          speaking(header),
          page(404, title, `<html lang="${tag}">`),
        ],
      ),
      [
        'in English to who asks for nothing',
        NOTHING,
        {},
        page(404, 'Link not found', '<html lang="en">'),
      ],
    ],
  },
];

/** What the names in braces stand for. */
type Names = Record<string, string>;

const fill = <T>(value: T, names: Names): T =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole),
  ) as T;

const pattern = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );

/** Makes the records of a topic; each row has its key by its place. */
async function make({ api, domain: host }: World, rows: Row[], names: Names): Promise<void> {
  for (const kind of ['links', 'qrcodes'] as const) {
    const bodies = rows.flatMap(([, setup], place) =>
      setup.kind === kind ? [{ ...fill(setup.fields, names), key: keyOf(place) }] : [],
    );
    if (bodies.length === 0) continue;
    const { status, body } = await api.post(`/${kind}/bulk`, bodies);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.filter((one: object) => 'error' in one)).to.deep.equal([]);
  }
  for (const [place, [, { kind, fields, isUnverified = false }]] of rows.entries()) {
    if (kind !== 'domains') continue;
    const slug = `${keyOf(place)}.${host}`;
    const { status, body } = await api.post('/domains', { ...fill(fields, names), slug });
    expect(status, JSON.stringify(body)).to.equal(201);
    if (isUnverified) continue;
    stack().dns.records.set(body.verification.name, body.verification.value);
    expect((await api.post(`/domains/${body.id}/verify`)).status).to.equal(200);
  }
}

const keyOf = (place: number) => `row-${place}`;

async function ask(host: string, place: number, [, { kind }, asking, expected]: Row, names: Names) {
  const key = keyOf(place);
  const own = { ...names, key, host: kind === 'domains' ? `${key}.${host}` : host };
  const { earlier = [], path = kind === 'domains' ? '/' : '/{key}', ...options } = asking;
  for (const userAgent of earlier) await visit(`/${key}`, { host, userAgent });
  const answer = await visit(fill(path, own), {
    host: own.host,
    process: place % 2 === 0 ? 0 : 1,
    ...fill(options, own),
  });
  const { status, headers = {}, shows = [], hides = [] } = fill(expected, own);
  expect(answer.status).to.equal(status);
  for (const [name, text] of Object.entries(headers)) {
    const sent = answer.headers[name];
    if (text === null) expect(sent, name).to.equal(undefined);
    else expect(String(sent), name).to.match(pattern(text));
  }
  for (const text of shows) expect(answer.body).to.contain(text);
  const all = (JSON.stringify(answer.headers) + answer.body).toLowerCase();
  for (const text of hides) expect(all).not.to.contain(text);
  if (asking.method === 'HEAD' || headers['location']) expect(answer.body).to.equal('');
}

describe('the decision table:', () => {
  let site: Site;

  before(async () => {
    site = await Site.start();
    for (const [path, headers] of Object.entries(SITE))
      site.answer(path, { type: 'text/html', headers });
    site.answer('/moved', { status: 302, headers: { location: `${site.url}/deny` } });
  });

  after(() => site.stop());

  for (const { topic, domain: changes, rows } of table) {
    describe(topic, () => {
      let host: string;
      let names: Names;

      before(async () => {
        const world = await aWorkspace();
        const { api } = world;
        host = world.domain;
        const texts = await api.post('/pages', { title: 'Please read this' });
        const questions = await api.post('/pages', {
          title: 'Tell us first',
          fields: [{ name: 'name', label: 'Your name' }],
        });
        const end = Date.now() + 1_500;
        names = {
          site: site.url,
          soon: new Date(end).toISOString(),
          page: texts.body.id,
          questions: questions.body.id,
        };
        if (changes !== undefined) {
          const [own] = (await api.get('/domains')).body;
          expect((await api.patch(`/domains/${own.id}`, changes)).status).to.equal(200);
        }
        await make(world, rows, names);
        if (JSON.stringify(rows).includes('{soon}')) {
          await eventually(() => expect(Date.now()).to.be.at.least(end));
        }
      });

      for (const [place, row] of rows.entries()) {
        it(row[0], () => ask(host, place, row, names));
      }
    });
  }

  it('has at least 150 rows', () => {
    expect(table.flatMap(({ rows }) => rows)).to.have.lengthOf.at.least(150);
  });
});
