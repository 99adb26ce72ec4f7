import { browser } from '../../support/browser.ts';
import { type VisitOptions } from '../../support/world.ts';

/*
 * The decision table of the redirect. A row creates a record, requests it once, and states the
 * expected response. Texts of a row can contain names in braces that are known only when it runs:
 * {key}, {host}, {site}, {soon}, {page}, {questions}.
 */

/** Record that a row creates at its URL. */
export interface Setup {
  kind: 'links' | 'qrcodes' | 'domains' | 'nothing';
  fields: Record<string, unknown>;
  isUnverified?: boolean;
}

/** Request for the URL of the record. */
export interface Asking extends VisitOptions {
  /** Path of the request: `/{key}` by default, and `/` for a domain. */
  path?: string;
  /** User agents of previous visitors. */
  earlier?: string[];
}

/** Expected response; an asterisk stands for any text, `null` for an absent header. */
export interface Expected {
  status: number;
  headers?: Record<string, string | null>;
  shows?: string[];
  hides?: string[];
}

export type Row = [title: string, setup: Setup, asking: Asking, expected: Expected];

export interface Topic {
  topic: string;
  /** Settings of the domain that the rows share. */
  domain?: Record<string, unknown>;
  rows: Row[];
}

export const A = 'https://example.com/a';
export const B = 'https://example.com/b';
export const C = 'https://example.com/c';
export const OVER = 'https://example.com/over';
export const FUTURE = '2199-01-01T00:00:00Z';
export const PAST = '2020-01-01T00:00:00Z';

export const link = (fields: Setup['fields'] = {}): Setup => ({
  kind: 'links',
  fields: { url: A, ...fields },
});

export const qrCode = (fields: Setup['fields'] = {}): Setup => ({
  kind: 'qrcodes',
  fields: { ...('type' in fields ? {} : { type: 'url', url: A }), ...fields },
});

export const NOTHING: Setup = { kind: 'nothing', fields: {} };

export const to = (
  location: string,
  status = 302,
  headers: Expected['headers'] = {},
): Expected => ({
  status,
  headers: { location, ...headers },
});

export const page = (status: number, title: string, ...texts: string[]): Expected => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', location: null },
  shows: [`<title>${title}</title>`, ...texts],
});

export const frame = (url: string): Expected => ({
  status: 200,
  headers: { location: null },
  shows: [`<iframe src="${url}"`],
});

export const card = (title: string): Expected =>
  page(200, title, `<meta property="og:title" content="${title}">`);

export const NOT_FOUND = page(404, 'Link not found');
export const NOT_STARTED = page(404, 'Not open yet');
export const EXPIRED = page(410, 'Link expired');
export const PASSWORD = page(403, 'Protected link');
export const PREVIEW = page(200, 'Where this link leads');
export const BEFORE = page(200, 'Please read this');

export const HEAD = { method: 'HEAD' };
export const GERMANY = { headers: { 'x-forwarded-for': '192.0.2.1' } };
export const JAPAN = { headers: { 'x-forwarded-for': '198.51.100.7' } };
export const BRAZIL = { headers: { 'x-forwarded-for': '203.0.113.9' } };
export const FRANCE = { headers: { 'x-forwarded-for': '2001:db8::5' } };
export const HTTPS = { headers: { 'x-forwarded-proto': 'https' } };
export const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
export const speaking = (languages: string) => ({ headers: { 'accept-language': languages } });
export const by = (userAgent: string) => ({ userAgent });

export const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
export const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
export const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko)';

export const AGENTS = {
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

export const FACEBOOK = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)';

/**
 * User agents of visitors who are not preview crawlers: ordinary browsers, apps of the crawlers'
 * companies, and other robots.
 */
export const NO_CRAWLERS: Record<string, string> = {
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

export const rule = (value: unknown, url = B) => ({ value, url });

export const SECRET = {
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

export const hiding = (expected: Expected): Expected => ({ ...expected, hides: ['clandestine'] });

export const CARD = { proxy: true, title: 'A card' };
export const PAGE = { preRedirection: true, pageId: '{page}' };
